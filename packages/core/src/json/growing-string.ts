/** A string that grows by small pieces, cut anywhere. */
export class GrowingString {
  #text = "";
  #tail = "";
  /** A high surrogate at the end. */
  #half = "";

  append(piece: string): void {
    const last = piece.charCodeAt(piece.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#tail += this.#half + piece.slice(0, -1);
      this.#half = piece.slice(-1);
    } else if (this.#half !== "") {
      this.#tail += this.#half + piece;
      this.#half = "";
    } else this.#tail += piece;
    if (this.#tail.length > 512) {
      // Looking at a character joins the pieces: collecting a million unjoined ones costs more.
      this.#tail.charCodeAt(0);
      this.#text += this.#tail;
      this.#tail = "";
    }
  }

  /** Whether `read` leaves the first half of a character out. */
  get isCut(): boolean {
    return this.#half !== "";
  }

  /** The string so far; a character of which only the first half has come is left out. */
  read(): string {
    return this.#text + this.#tail;
  }

  /** The whole string; the next one begins. */
  take(): string {
    const whole = this.#text + this.#tail + this.#half;
    this.#text = this.#tail = this.#half = "";
    return whole;
  }
}
