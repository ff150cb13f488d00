/**
 * A jest setup file: appends the path of each file of ../shared that a test reads to the file that
 * AGRX_SHARED_READS names, so that .ci/run can say how much of the data was there.
 */
const fs = require("node:fs");
const { join, resolve, sep } = require("node:path");

const list = process.env.AGRX_SHARED_READS;
const shared = join(__dirname, "../../../shared") + sep;
const marked = Symbol.for("agrx.list-shared-reads"); // Node's modules outlive a test file

if (list && !fs[marked]) {
  fs[marked] = true;
  for (const [holder, name] of [
    [fs, "readFileSync"],
    [fs, "readFile"],
    [fs, "createReadStream"],
    [fs.promises, "readFile"],
  ]) {
    const original = holder[name];
    holder[name] = function (path, ...rest) {
      if (typeof path === "string" && resolve(path).startsWith(shared)) {
        fs.appendFileSync(list, resolve(path).slice(shared.length) + "\n");
      }
      return original.call(this, path, ...rest);
    };
  }
}
