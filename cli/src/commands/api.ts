import { randomUUID } from 'node:crypto';
import { type Command, Argument } from 'commander';
import { toFailure } from '../client/problems.ts';
import type { Page } from '../client/pages.ts';
import type { Session } from '../client/session.ts';
import { collectValues, parsePair } from '../names/pairs.ts';
import { usage } from '../terminal/failure.ts';
import { readTextArgument } from '../terminal/files.ts';
import { addSignedInAction, addSubcommand, type CommonOptions, type Context } from './command.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

interface Options extends CommonOptions {
  field?: string[];
  jsonField?: string[];
  input?: string;
  paginate?: boolean;
}

export function addApi(program: Command, context: Context): void {
  const command = addSubcommand(program, 'api', 'Send a request to the API and print the response')
    .addArgument(new Argument('<method>', 'method, such as GET').argParser(parseMethod))
    .argument('<path>', 'path such as /api/plans, with or without /api')
    .option(
      '-f, --field <name=value>',
      'text in the query of a GET or DELETE, else in the body; repeatable',
      collectValues,
    )
    .option('-F, --json-field <name=value>', 'like --field, with a JSON value such as 3 or true', collectValues)
    .option('--input <file>', 'JSON body; - for standard input')
    .option('--paginate', 'print all items of a list, one per line');
  addSignedInAction<Options>(context, command, async (session, options, method, path = '') => {
    const url = toUrl(session, path);
    const fields = readFields(options);
    const takesQuery = method === 'GET' || method === 'DELETE';
    if (takesQuery) for (const [name, value] of fields) url.searchParams.append(name, toText(value));
    if (options.input !== undefined && (takesQuery || fields.length > 0))
      throw usage(takesQuery ? `A ${method} takes no --input.` : '--input cannot be combined with --field.');
    if (options.paginate) {
      if (method !== 'GET') throw usage('--paginate needs the method GET.');
      return printAllItems(session, url);
    }
    const body = takesQuery ? null : await readBody(session, options, fields);
    printAnswer(session, await send(session, method as Method, url, body));
  });
}

const parseMethod = (text: string): Method => {
  const method = METHODS.find((each) => each === text.toUpperCase());
  if (method === undefined) throw usage(`"${text}" is not a method: use ${METHODS.join(', ')}.`);
  return method;
};

/** Returns an address of the service only, because the request carries the token. */
function toUrl({ connection: { options } }: Session, path: string): URL {
  if (!path.startsWith('/') || path.startsWith('//'))
    throw usage(`"${path}" is not a path: begin with /, such as /api/plans.`);
  return new URL(`${options.base}${/^\/api(?:\/|$)/.test(path) ? '' : '/api'}${path}`);
}

function readFields({ field = [], jsonField = [] }: Options): [name: string, value: unknown][] {
  const texts = field.map((text): [string, unknown] => parsePair(text, '--field'));
  const values = jsonField.map((text): [string, unknown] => {
    const [name, value] = parsePair(text, '--json-field');
    try {
      return [name, JSON.parse(value)];
    } catch {
      throw usage(`--json-field ${name} has no JSON value. For a text use --field.`);
    }
  });
  return [...texts, ...values];
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

async function readBody(
  { surroundings }: Session,
  { input }: Options,
  fields: readonly [string, unknown][],
): Promise<string | null> {
  if (input !== undefined) return readTextArgument(input, 'The body', surroundings);
  return fields.length === 0 ? null : JSON.stringify(Object.fromEntries(fields));
}

/** @throws Failure for a status that is not 2xx */
async function send({ connection }: Session, method: Method, url: URL, body: string | null): Promise<string> {
  const headers = {
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    // A request that is repeated after a lost connection is executed once.
    ...(method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {}),
  };
  const response = await connection.send(new Request(url, { method, headers, ...(body === null ? {} : { body }) }));
  const text = await response.text();
  if (!response.ok) throw toFailure(response, text);
  return text;
}

function printAnswer({ out }: Session, text: string): void {
  if (text === '') return;
  const value = parseJson(text);
  if (value === undefined) out.raw(text);
  else out.record(value);
}

async function printAllItems(session: Session, url: URL): Promise<void> {
  if (!url.searchParams.has('limit')) url.searchParams.set('limit', '200');
  for (let cursor: string | null = null; ; ) {
    if (cursor !== null) url.searchParams.set('cursor', cursor);
    const page = parseJson(await send(session, 'GET', url, null)) as Partial<Page<unknown>> | undefined;
    if (!Array.isArray(page?.items)) throw usage('The response is not a list: leave out --paginate.');
    session.out.items(page.items);
    await session.out.flush();
    const next: string | null = page.nextCursor ?? null;
    if (next === null) return;
    if (next === cursor) throw usage('The list does not advance: its next page has the same cursor.');
    cursor = next;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
