// Apart from the vocabulary, since a bundler keeps all names that one file takes from a package.
export { PROTOCOL_VERSION } from "@ag-ui/core";
