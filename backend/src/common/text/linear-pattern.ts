import { parsePattern, PatternError, type PatternNode } from './linear-pattern-parser.ts';

export { PatternError };

const MAX_PROGRAM_LENGTH = 1000;
const MAX_EMITTED_INSTRUCTIONS = 4000;
/** Step limit that takes about 50 ms of CPU time. */
const MAX_STEPS = 600_000;
/** Maximum length of matched text, in UTF-16 units. */
export const MAX_MATCHED_LENGTH = 10_000;

/** Remaining number of steps for matching. All values of one request share it. */
export interface MatchBudget {
  steps: number;
}

export const createMatchBudget = (): MatchBudget => ({ steps: MAX_STEPS });

type Instruction =
  | { op: 'character'; accepts: (character: string) => boolean }
  | { op: 'split'; to: number; or: number }
  | { op: 'jump'; to: number }
  | { op: 'assert'; holds: (before: string | undefined, after: string | undefined) => boolean }
  | { op: 'match' };

/**
 * Regular expression in JavaScript syntax (flag `u`) without lookaround and backreferences. Native backtracking takes
 * exponential time on patterns such as `(a+)+$`. This class follows all alternatives in parallel. It takes at most
 * program size × text length, and rejects texts above its limits.
 */
export class LinearPattern {
  private readonly program: Instruction[];

  /** @throws PatternError if the pattern is invalid, too large or not matchable in linear time */
  constructor(source: string) {
    this.program = compilePattern(parsePattern(source));
  }

  /**
   * Whether the pattern matches the whole text. Returns false if the budget is exhausted; `budget.steps` is then
   * negative.
   */
  matches(text: string, budget: MatchBudget = createMatchBudget()): boolean {
    if (text.length > MAX_MATCHED_LENGTH) return false;
    budget.steps -= text.length + this.program.length;
    if (budget.steps < 0) return false;
    const characters = Array.from(text);
    const seen = new Uint32Array(this.program.length).fill(0);
    let current: number[] = [];

    const reach = (list: number[], start: number, at: number): void => {
      const pending = [start];
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        if (seen[next] === at + 1) continue;
        seen[next] = at + 1;
        budget.steps--;
        const instruction = this.program[next] as Instruction;
        if (instruction.op === 'jump') pending.push(instruction.to);
        else if (instruction.op === 'split') pending.push(instruction.or, instruction.to);
        else if (instruction.op !== 'assert') list.push(next);
        else if (instruction.holds(characters[at - 1], characters[at])) pending.push(next + 1);
      }
    };

    reach(current, 0, 0);
    for (const [at, character] of characters.entries()) {
      const following: number[] = [];
      for (const index of current) {
        const instruction = this.program[index] as Instruction;
        budget.steps--;
        if (instruction.op === 'character' && instruction.accepts(character)) reach(following, index + 1, at + 1);
      }
      if (following.length === 0 || budget.steps < 0) return false;
      current = following;
    }
    return current.some((index) => this.program[index]?.op === 'match');
  }
}

function compilePattern(root: PatternNode): Instruction[] {
  const program: Instruction[] = [];
  let emitCount = 0;

  const add = (instruction: Instruction): number => {
    if (program.length >= MAX_PROGRAM_LENGTH) throw patternTooLargeError();
    return program.push(instruction) - 1;
  };
  const emit = (node: PatternNode): void => {
    // Repeating an empty pattern adds no instruction, so the work is limited separately from the size.
    if (++emitCount > MAX_EMITTED_INSTRUCTIONS) throw patternTooLargeError();
    switch (node.type) {
      case 'character':
        add({ op: 'character', accepts: node.accepts });
        return;
      case 'assert':
        add({ op: 'assert', holds: node.holds });
        return;
      case 'sequence':
        node.parts.forEach(emit);
        return;
      case 'choice':
        emitChoice(node.options);
        return;
      case 'repeat':
        emitRepeat(node.part, node.min, node.max);
    }
  };
  const emitChoice = (options: readonly PatternNode[]): void => {
    const ends: { op: 'jump'; to: number }[] = [];
    options.forEach((option, index) => {
      const last = index === options.length - 1;
      const split = { op: 'split' as const, to: 0, or: 0 };
      if (!last) split.to = add(split) + 1;
      emit(option);
      if (last) return;
      const end = { op: 'jump' as const, to: 0 };
      add(end);
      ends.push(end);
      split.or = program.length;
    });
    for (const end of ends) end.to = program.length;
  };
  const emitRepeat = (part: PatternNode, min: number, max: number): void => {
    for (let i = 0; i < min; i++) emit(part);
    if (max === Infinity) {
      const split = { op: 'split' as const, to: 0, or: 0 };
      const start = add(split);
      split.to = start + 1;
      emit(part);
      add({ op: 'jump', to: start });
      split.or = program.length;
      return;
    }
    const splits: { op: 'split'; to: number; or: number }[] = [];
    for (let i = min; i < max; i++) {
      const split = { op: 'split' as const, to: 0, or: 0 };
      split.to = add(split) + 1;
      splits.push(split);
      emit(part);
    }
    for (const split of splits) split.or = program.length;
  };

  emit(root);
  add({ op: 'match' });
  return program;
}

const patternTooLargeError = () =>
  new PatternError('The pattern is too large: use smaller {n,m} counts or fewer alternatives.');
