import type { VariableValue } from '../../common/variables/variable-value.js';
import type { ServerView } from '../servers.view.js';
import type { Way } from './way.js';

export type ShownVariables = ReadonlyMap<string, VariableValue | null>;

/** What is exported of a server beside its view. */
export interface Beside {
  /** Null: it is secret, and only its name is told. */
  variables: ShownVariables;
  way: Way;
}

/** Writes servers one after another as a text that other tools read. */
export interface InventoryWriter {
  readonly media: string;
  readonly file: string;
  begin(): string;
  server(server: ServerView, beside: Beside): string;
  end(): string;
}
