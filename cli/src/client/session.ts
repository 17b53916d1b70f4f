import type { Output } from '../terminal/output.ts';
import type { Surroundings } from '../terminal/surroundings.ts';
import type { Api } from './api.ts';
import type { Connection } from './connection.ts';

export interface Session {
  api: Api;
  connection: Connection;
  out: Output;
  surroundings: Surroundings;
}
