/** An object without the fields that hold `undefined`. */
export type PresentFields<F> = {
  [K in keyof F as undefined extends F[K] ? never : K]: F[K];
} & { [K in keyof F as undefined extends F[K] ? K : never]?: Exclude<F[K], undefined> };

/** The fields that somebody gave: on the wire an absent field is absent. */
export function presentFields<const F extends object>(fields: F): PresentFields<F> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as PresentFields<F>;
}
