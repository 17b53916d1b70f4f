import pg from 'pg';

interface RecordedStatement {
  text: string;
  values: unknown[];
}

/** Records the statements of this process that read, during `work`. */
export async function statementsOf(work: () => Promise<unknown>): Promise<RecordedStatement[]> {
  const statements: RecordedStatement[] = [];
  const prototype = pg.Client.prototype as unknown as { query: (this: unknown, ...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function recordingQuery(this: unknown, ...args: unknown[]) {
    const [first, second] = args;
    const text = typeof first === 'string' ? first : ((first as { text?: string } | null)?.text ?? '');
    const values = Array.isArray(second) ? second : ((first as { values?: unknown[] } | null)?.values ?? []);
    if (/^\s*(select|with)\b/i.test(text) && !/set_config/.test(text)) statements.push({ text, values });
    return query.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return statements;
}
