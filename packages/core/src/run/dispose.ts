/** The symbol under which handles can be disposed of, also where the platform does not know `using` yet. */
export const dispose: typeof Symbol.dispose =
  (Symbol as { readonly dispose?: typeof Symbol.dispose }).dispose ??
  (Symbol.for("Symbol.dispose") as typeof Symbol.dispose);
