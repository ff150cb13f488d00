// Bundle sizes, minified and gzipped, of what is built: as ES modules for a browser, as apps bundle them.
const core = "packages/core/dist/esm/index.js";
const verify = "packages/verify/dist/esm/index.js";
const peers = ["rxjs", "zod", "@ag-ui/core"];

const bar = (name, imported, limit, ignore = peers) => ({
  name,
  path: core,
  import: imported,
  ignore,
  limit,
  gzip: true,
  // Without our tsconfig, whose `paths` would lead verify to core's sources: half of core would count twice.
  modifyEsbuildConfig: (config) => ({ ...config, format: "esm", platform: "browser", tsconfigRaw: {} }),
});

export default [
  bar("groupToolCalls", "{ groupToolCalls }", "3 kB"),
  bar("scanRun", "{ scanRun }", "7 kB"),
  bar("all of @agrx/core", "*", "34 kB"), // 20 kB is wanted
  bar("verify, with core's table", { [verify]: "{ verify }" }, "5 kB"),
  bar(
    "client chain from bytes, everything but rxjs",
    { [core]: "{ decodeSse, expandChunks, scanRun }", [verify]: "{ verify }" },
    "18 kB",
    ["rxjs"],
  ),
  bar(
    "client chain from connect, everything but rxjs",
    { [core]: "{ connect, expandChunks, scanRun }", [verify]: "{ verify }" },
    "19.6 kB", // 18 kB is wanted
    ["rxjs"],
  ),
];
