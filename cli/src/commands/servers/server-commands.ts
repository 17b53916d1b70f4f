import type { Command } from 'commander';
import type { Context } from '../command.ts';
import { addServerCheck } from './check.ts';
import { addServerImport } from './import.ts';
import { addServerList } from './list.ts';
import { addServerUpsert } from './upsert.ts';

export function addServers(program: Command, context: Context): void {
  const servers = program.command('server').description('Register, list and check servers');
  addServerList(servers, context);
  addServerUpsert(servers, context);
  addServerImport(servers, context);
  addServerCheck(servers, context);
}
