import type { TestDatabase } from './database.js';
import { queryAs } from './table-contents.js';

const TABLES = [
  ['execution_steps', 'step_index'],
  ['execution_hosts', 'ordinal'],
  ['host_results', 'step_index'],
  ['dispatches', 'step_index'],
  ['output_chunks', 'seq'],
  ['execution_events', 'seq'],
  ['guard_keys', 'key'],
  ['execution_slices', 'step_index'],
  ['approvals', 'round'],
] as const;
/** Fields with content that users choose, which is never compared. */
const FREE_FORM_COLUMNS = new Set(['tags', 'note', 'token_prefix']);

/**
 * Returns each form of a run's stored rows once. A form says which columns are set, and the types of their values, for
 * JSON field by field.
 * @param more excludes the snapshot if the plans differ
 */
export async function formsOf(
  database: TestDatabase,
  tenantId: string,
  id: string,
  { snapshot = true }: { snapshot?: boolean } = {},
): Promise<Record<string, unknown[]>> {
  const forms: Record<string, unknown[]> = {};
  const read = async (name: string, sql: string): Promise<void> => {
    const rows = await queryAs<Record<string, unknown>>(database, tenantId, sql, [id]);
    const texts = rows.map((row) => JSON.stringify(toForm(row)));
    forms[name] = [...new Set(texts)].sort().map((form) => JSON.parse(form) as unknown);
  };
  await read('executions', `select *${snapshot ? '' : ', null as snapshot'} from executions where id = $1`);
  for (const [table, order] of TABLES)
    await read(table, `select * from ${table} where execution_id = $1 order by ${order}`);
  await read('audit_entries', 'select * from audit_entries where resource_id = $1 order by sequence');
  return forms;
}

function toForm(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return 'time';
  if (Buffer.isBuffer(value)) return 'bytes';
  if (Array.isArray(value)) return value.map(toForm);
  if (typeof value !== 'object') return WORDS.has(value) ? value : typeof value;
  const fields = Object.entries(value).filter(([name]) => !FREE_FORM_COLUMNS.has(name));
  return Object.fromEntries(fields.map(([name, each]) => [ID.test(name) ? 'id' : name, toForm(each)]).sort());
}

const ID = /^[0-9a-f]{8}-/;
/** Words with a meaning, which must be equal. */
const WORDS: ReadonlySet<unknown> = new Set([
  ...['SUCCEEDED', 'FAILED', 'RUNNING', 'PENDING', 'auto', 'command', 'user', 'system', 'execution', 'engine'],
  ...['execution.start', 'execution.running', 'execution.succeeded', 'execution.failed'],
  ...['execution.status_changed', 'execution.finished', 'step.started', 'step.finished'],
  ...['host.started', 'host.finished', 'output.appended', 'hosts_failed', 'exit_code'],
]);
