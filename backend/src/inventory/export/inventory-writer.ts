import type { VariableValue } from '../../variables/variable-value.js';
import type { ServerView } from '../servers.view.js';
import type { VisibleJumpPath } from './jump-path.js';

export type ExportedVariables = ReadonlyMap<string, VariableValue | null>;

export interface ServerExtras {
  /** Null value = secret, of which only the name is exported. */
  variables: ExportedVariables;
  jumpPath: VisibleJumpPath;
}

export interface InventoryWriter {
  readonly media: string;
  readonly file: string;
  begin(): string;
  server(server: ServerView, beside: ServerExtras): string;
  end(): string;
}
