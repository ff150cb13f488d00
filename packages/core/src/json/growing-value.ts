/** A container that is open, and the place in it where its latest child stands. */
interface OpenContainer {
  value: unknown[] | Record<string, unknown>;
  readonly isArray: boolean;
  place: string | number;
  cost: number;
}

function assign({ value, place }: OpenContainer, child: unknown): void {
  if (typeof place === "number") (value as unknown[])[place] = child;
  else if (place === "__proto__")
    Object.defineProperty(value, place, {
      value: child,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else (value as Record<string, unknown>)[place] = child;
}

/** A JSON value under construction that can be read at any time; what was read is never changed. */
export class GrowingValue {
  #root: unknown;
  readonly #open: OpenContainer[] = [];
  /** The open containers are part of a value that was read. */
  #shown = false;

  /** The innermost open container; undefined at the top level. */
  top: OpenContainer | undefined = undefined;
  depth = 0;
  /** How many slots the first change after a read copies: an array's element is one, an object's member eight. */
  readCost = 0;

  /** Puts a value at the current place, instead of what stands there. */
  put(value: unknown): void {
    if (this.top === undefined) this.#root = value;
    else {
      if (this.#shown) this.#renew();
      assign(this.top, value);
    }
  }

  /** Copies each open container, so that the next change leaves what was read alone. */
  #renew(): void {
    let parent: OpenContainer | undefined;
    for (const container of this.#open) {
      container.value = container.isArray ? (container.value as unknown[]).slice() : { ...container.value };
      if (parent === undefined) this.#root = container.value;
      else assign(parent, container.value);
      parent = container;
    }
    this.#shown = false;
  }

  /** Moves on to the next element of the innermost array. */
  nextElement(): void {
    (this.top!.place as number)++;
    this.#count(1);
  }

  /** Moves on to a member of the innermost object. */
  member(key: string): void {
    this.top!.place = key;
    this.#count(8);
  }

  #count(cost: number): void {
    this.top!.cost += cost;
    this.readCost += cost;
  }

  openContainer(isArray: boolean): void {
    const value = isArray ? [] : {};
    this.put(value);
    this.top = { value, isArray, place: isArray ? 0 : "", cost: 0 };
    this.depth = this.#open.push(this.top);
    if (isArray) this.#count(1);
  }

  closeContainer(): void {
    this.readCost -= this.#open.pop()!.cost;
    this.depth--;
    this.top = this.depth === 0 ? undefined : this.#open[this.depth - 1];
  }

  read(): unknown {
    this.#shown = true;
    return this.#root;
  }

  /** What closes the open containers, innermost first. */
  closers(): string {
    let closers = "";
    for (const { isArray } of this.#open) closers = (isArray ? "]" : "}") + closers;
    return closers;
  }
}
