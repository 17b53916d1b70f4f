import type { PlanStep } from '../../../../api/types';

/** A field that the editor draws from this declaration. */
export interface DeclaredField<Row> {
  name: keyof Row & string;
  /** `template`: text in which `{{ name }}` inserts a variable. */
  kind: 'number' | 'line' | 'lines' | 'flag' | 'template';
  label: string;
  description: string;
  placeholder?: string;
  required?: boolean;
  min?: number;
  max?: number;
  minRows?: number;
  maxRows?: number;
}

/** How the editor and revisions show a step type. */
export interface FormStepType<Row extends object> {
  /** Label in the menu of types. */
  label: string;
  /** `pause`: on no host; `call`: the steps of another plan. */
  runs: 'hosts' | 'pause' | 'call';
  /** Settings of the process that a step starts: all of a program, or only its user. */
  process: 'program' | 'user' | null;
  blank: Row;
  /** Reads the fields of the type. Steps of other types lack them. */
  read(step: PlanStep): Row;
  /** Returns the request with the fields of the type. */
  write(row: Row): object;
  /** Fields that are drawn from their declaration; for other forms see `steps/StepWhat.tsx`. */
  fields?: readonly DeclaredField<Row>[];
  /** Commands, in which `$NAME` also refers to a variable. */
  commands(row: Row): string[];
  /** Further texts with names in braces. */
  texts(row: Row): string[];
  outputs(row: Row): string[];
  /** Main text of a step in a revision, without its script or template. */
  summary(step: PlanStep): string;
}

export const text = <N extends string>(name: N, value: string) =>
  (value.trim() ? { [name]: value.trim() } : {}) as { [K in N]?: string };
export const number = <N extends string>(name: N, value: number | '') =>
  (value === '' ? {} : { [name]: value }) as { [K in N]?: number };
export const list = <N extends string>(name: N, values: string[]) =>
  (values.length > 0 ? { [name]: values } : {}) as { [K in N]?: string[] };
