import type { VariableValue } from '../../common/variables/variable-value.js';
import type { ServerView } from '../servers.view.js';
import type { Way } from './way.js';

export type ShownVariables = ReadonlyMap<string, VariableValue | null>;

/** Data of a server that its view does not contain. */
export interface Beside {
  /** Null value = secret; only the name is exported. */
  variables: ShownVariables;
  way: Way;
}

/** Writes servers one at a time in a text format for other tools. */
export interface InventoryWriter {
  readonly media: string;
  readonly file: string;
  begin(): string;
  server(server: ServerView, beside: Beside): string;
  end(): string;
}
