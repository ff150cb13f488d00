// The API reference: `pnpm docs:api` writes docs/api, one page folder for each public entry.
import { readFileSync, readdirSync } from "node:fs";
import { Converter, ReflectionKind } from "typedoc";

/** Source file -> name of the entry, of all entries that the packages export. */
const entries = new Map(
  readdirSync("packages").flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(`packages/${folder}/package.json`, "utf8"));
    return Object.entries(exports)
      .filter(([, target]) => typeof target === "object")
      .map(([path, target]) => {
        const source = target.import.default.replace("./dist/esm/", "src/").replace(/\.js$/, ".ts");
        return [`packages/${folder}/${source}`, name + path.slice(1)];
      });
  }),
);

/** Names each module as it is imported; without it they are named after their folders. */
function nameModules(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const file = module.sources?.[0]?.fullFileName ?? "";
      const entry = [...entries].find(([source]) => file.endsWith(source));
      if (entry) module.name = entry[1];
    }
  });
  // Links to lines would go stale, and the pages lie in no place from which a file is reached.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const reflection of Object.values(project.reflections)) delete reflection.sources;
  });
}

export default {
  plugin: ["typedoc-plugin-markdown", nameModules],
  entryPoints: [...entries.keys()],
  tsconfig: "tsconfig.json",
  skipErrorChecking: true, // `pnpm typecheck` does it
  out: "docs/api",
  name: "agrx",
  readme: "none",
  disableGit: true,
  sourceLinkTemplate: "{path}",
  excludePrivate: true,
  excludeInternal: true,
  validation: { notExported: false, invalidLink: true, rewrittenLink: true, notDocumented: false },
  treatWarningsAsErrors: true,
};
