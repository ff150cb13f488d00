/** The parts of a JSON number, by the last character read. */
export const enum NumberPart {
  Nothing,
  Minus,
  Zero,
  Integer,
  Point,
  Fraction,
  E,
  Sign,
  Exponent,
  /** The character does not continue the number. */
  End,
}

const afterDigit: readonly NumberPart[] = [
  NumberPart.Integer,
  NumberPart.Integer,
  NumberPart.End,
  NumberPart.Integer,
  NumberPart.Fraction,
  NumberPart.Fraction,
  NumberPart.Exponent,
  NumberPart.Exponent,
  NumberPart.Exponent,
];

/** Which part of a number a character begins or continues. */
export function nextNumberPart(part: NumberPart, code: number): NumberPart {
  if (code >= 48 && code <= 57) {
    return code === 48 && part < NumberPart.Zero ? NumberPart.Zero : afterDigit[part]!;
  }
  const isInteger = part === NumberPart.Zero || part === NumberPart.Integer;
  switch (code) {
    case 43:
      return part === NumberPart.E ? NumberPart.Sign : NumberPart.End;
    case 45:
      if (part === NumberPart.Nothing) return NumberPart.Minus;
      return part === NumberPart.E ? NumberPart.Sign : NumberPart.End;
    case 46:
      return isInteger ? NumberPart.Point : NumberPart.End;
    case 69:
    case 101:
      return isInteger || part === NumberPart.Fraction ? NumberPart.E : NumberPart.End;
    default:
      return NumberPart.End;
  }
}

/** Whether the characters so far are a whole number. */
export function isWholeNumber(part: NumberPart): boolean {
  return (
    part === NumberPart.Zero ||
    part === NumberPart.Integer ||
    part === NumberPart.Fraction ||
    part === NumberPart.Exponent
  );
}
