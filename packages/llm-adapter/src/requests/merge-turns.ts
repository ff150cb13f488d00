interface Turn {
  readonly role: string;
  readonly content: readonly unknown[];
}

/** Joins neighbours of one role and leaves out empty ones, for providers whose turns must alternate. */
export function mergeTurns<T extends Turn>(turns: readonly T[]): T[] {
  const merged: T[] = [];
  for (const turn of turns) {
    if (turn.content.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === turn.role)
      merged[merged.length - 1] = { ...last, content: [...last.content, ...turn.content] };
    else merged.push(turn);
  }
  return merged;
}
