import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { type Client, escapeIdentifier } from 'pg';
import { type CopyStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { affected, rows, sql, type Sql } from '../common/database/sql.js';
import { StartError } from '../common/database/start-error.js';
import {
  type ArchivedTable,
  type ArchiveManifest,
  CHUNK_BYTES,
  readChunkName,
  sha256,
  tableKey,
  type TableContent,
} from './archive-format.js';
import { readEntries } from './archive-reader.js';
import {
  type DatabaseTable,
  listTables,
  listTenantIds,
  qualified,
  readAuditHeads,
  seesAllTenants,
} from './database-contents.js';

const decompress = promisify(zstdDecompress);

/** A chunk ends with the part of the stream that exceeds its limit. */
const MAX_CHUNK_BYTES = CHUNK_BYTES * 8;

/** Bounds that the migrations create: by ID, or the default partition. */
const BOUND_PATTERN =
  /^(?:DEFAULT|FOR VALUES FROM \((?:MINVALUE|'[0-9a-f-]{36}')\) TO \((?:MAXVALUE|'[0-9a-f-]{36}')\))$/;
const NAME_PATTERN = /^[a-z][a-z0-9_]{0,62}$/;

export const columnList = (columns: readonly string[]): string =>
  columns.map((name) => escapeIdentifier(name)).join(', ');

export interface LoadOptions {
  /** Reads all tables again and compares them with the archive. */
  compare: boolean;
}

/**
 * Replaces the content of all tables by that of the archive, in the open transaction of `client`. The schema has the
 * migrations of the archive.
 * @throws StartError if the content does not match the manifest
 */
export async function loadTables(
  client: Client,
  file: string,
  manifest: ArchiveManifest,
  { compare }: LoadOptions,
): Promise<void> {
  const { header } = manifest;
  const references = await dropReferences(client);
  await recreatePartitions(client, header.tables);
  const present = await listTables(client);
  const targets = header.tables.map((table) => findTarget(file, table, present));
  const bypasses = await seesAllTenants(client);
  const forced = bypasses ? [] : await listForcedTables(client);
  for (const table of forced) await client.query(`alter table ${table} no force row level security`);
  for (const target of targets) await client.query(`alter table ${qualified(target)} disable trigger user`);
  await client.query(`truncate ${targets.map((target) => `only ${qualified(target)}`).join(', ')}`);
  const contents = await loadChunks(client, file, manifest, targets);
  for (const { schema, name, value, called } of manifest.sequences)
    await rows(
      client,
      sql<{ position: string }>`
        select setval(to_regclass(${qualified({ schema, name })}), ${value}::bigint, ${called})::text as position`,
    );
  if (compare) await compareTables(client, header.tables, targets, contents);
  for (const target of targets) await client.query(`alter table ${qualified(target)} enable trigger user`);
  for (const { table, name, definition } of references)
    await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  for (const table of forced) await client.query(`alter table ${table} force row level security`);
  const heads = await readAuditHeads(client, await listTenantIds(client));
  if (JSON.stringify(heads) !== JSON.stringify(manifest.auditHeads))
    throw new StartError(`The restored audit trails do not end with the entries that ${file} names.`);
}

interface Reference {
  table: string;
  name: string;
  definition: string;
}

/** Drops all foreign keys: only a superuser may disable them. */
async function dropReferences(client: Client): Promise<Reference[]> {
  const references = await rows(
    client,
    sql<Reference>`select c.conrelid::regclass::text as table, quote_ident(c.conname) as name,
        pg_get_constraintdef(c.oid) as definition
      from pg_constraint c join pg_namespace n on n.oid = c.connamespace
      where c.contype = 'f' and c.conparentid = 0 and n.nspname in ('public', 'pgboss')
      order by c.oid`,
  );
  for (const { table, name } of references) await client.query(`alter table ${table} drop constraint ${name}`);
  return references;
}

async function listForcedTables(client: Client): Promise<string[]> {
  const found = await rows(
    client,
    sql<{ name: string }>`select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relforcerowsecurity order by oid`,
  );
  return found.map(({ name }) => name);
}

/** Replaces all partitions by those of the archive. */
async function recreatePartitions(client: Client, archived: readonly ArchivedTable[]): Promise<void> {
  const present = await listTables(client);
  const parents = new Set(present.flatMap(({ partition }) => (partition ? [partition.parent] : [])));
  for (const table of present) if (table.partition) await client.query(`drop table ${qualified(table)}`);
  for (const table of archived) {
    if (!table.partition) continue;
    const { parent, bound } = table.partition;
    if (
      !parents.has(parent) ||
      !BOUND_PATTERN.test(bound) ||
      !NAME_PATTERN.test(table.name) ||
      table.schema !== 'public'
    )
      throw new StartError(`The backup has an unknown partition: ${table.name} of ${parent} ${bound}.`);
    const [name, of] = [qualified(table), qualified({ schema: 'public', name: parent })];
    // As make_month_partitions creates them.
    await client.query(`create table ${name} (like ${of} including defaults including constraints including storage);
      alter table ${name} enable row level security;
      alter table ${of} attach partition ${name} ${bound}`);
  }
}

interface LoadTarget extends DatabaseTable {
  /** Columns of the archive in a table of another version of the queue library; undefined = the same columns. */
  foreignColumns: string[] | undefined;
}

function findTarget(file: string, archived: ArchivedTable, present: readonly DatabaseTable[]): LoadTarget {
  const table = present.find((each) => tableKey(each) === tableKey(archived));
  if (!table)
    throw new StartError(`${file} contains the table ${tableKey(archived)}, which this version does not have.`);
  const same = JSON.stringify([...table.columns].sort()) === JSON.stringify([...archived.columns].sort());
  if (same) return { ...table, foreignColumns: undefined };
  if (table.schema !== 'pgboss')
    throw new StartError(`The table ${tableKey(archived)} of ${file} has other columns than this version.`);
  return { ...table, foreignColumns: archived.columns };
}

async function loadChunks(
  client: Client,
  file: string,
  manifest: ArchiveManifest,
  targets: readonly LoadTarget[],
): Promise<Map<string, TableContent>> {
  const contents = new Map(manifest.tables.map((content) => [content.table, content]));
  const checksums = new Map(manifest.entries.map((entry) => [entry.name, entry.sha256]));
  let load: TableLoad | null = null;
  const finish = async () => {
    if (!load) return;
    const loaded = await load.finish();
    requireSameContent(contents.get(loaded.table), loaded);
  };
  const started = new Set<number>();
  for await (const { name, content } of readEntries(file)) {
    const position = readChunkName(name);
    if (position === undefined) continue;
    const [table, target] = [manifest.header.tables[position], targets[position]];
    if (!table || !target || checksums.get(name) !== sha256(content))
      throw new StartError(`${file} changed while it was read (${name}). Restore it again.`);
    if (load?.position !== position) {
      await finish();
      load = await TableLoad.begin(client, position, table, target);
      started.add(position);
    }
    await load.write(await decompress(content, { maxOutputLength: MAX_CHUNK_BYTES }));
  }
  await finish();
  for (const [position, table] of manifest.header.tables.entries())
    if (!started.has(position) && contents.get(tableKey(table))?.rows !== 0)
      throw new StartError(`${file} lacks the rows of ${tableKey(table)}.`);
  return contents;
}

function requireSameContent(expected: TableContent | undefined, found: TableContent): void {
  if (
    JSON.stringify(expected && [expected.rows, expected.bytes, expected.sha256]) !==
    JSON.stringify([found.rows, found.bytes, found.sha256])
  )
    throw new StartError(
      `Table ${found.table} has ${found.rows} rows with SHA-256 ${found.sha256}; the manifest says ${expected?.rows} with ${expected?.sha256}.`,
    );
}

/** One `COPY … FROM STDIN`. */
class TableLoad {
  private readonly hash = createHash('sha256');
  private bytes = 0;
  private failure: Error | null = null;

  private constructor(
    private readonly client: Client,
    readonly position: number,
    private readonly table: ArchivedTable,
    private readonly target: LoadTarget,
    private readonly stream: CopyStreamQuery,
  ) {
    stream.on('error', (error) => (this.failure = error));
  }

  static async begin(client: Client, position: number, table: ArchivedTable, target: LoadTarget): Promise<TableLoad> {
    if (target.foreignColumns) {
      // All columns as text: the types of the columns that this version lacks are unknown.
      await client.query(
        `create temp table restored_rows (${table.columns.map((column) => `${escapeIdentifier(column)} text`).join(', ')}) on commit drop`,
      );
    }
    const into = target.foreignColumns ? 'restored_rows' : qualified(target);
    const stream = client.query(copyFrom(`copy ${into} (${columnList(table.columns)}) from stdin`));
    return new TableLoad(client, position, table, target, stream);
  }

  async write(lines: Buffer): Promise<void> {
    this.hash.update(lines);
    this.bytes += lines.length;
    await new Promise<void>((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.stream.write(lines, (error) => (error ? reject(error) : resolve()));
    });
  }

  async finish(): Promise<TableContent> {
    if (this.failure) throw this.failure;
    this.stream.end();
    await once(this.stream, 'finish');
    if (this.target.foreignColumns) await this.moveCommonColumns();
    return {
      table: tableKey(this.table),
      rows: this.stream.rowCount,
      bytes: this.bytes,
      sha256: this.hash.digest('hex'),
    };
  }

  private async moveCommonColumns(): Promise<void> {
    const common = this.target.columns.filter((column) => this.table.columns.includes(column));
    const types = await rows(
      this.client,
      sql<{ name: string; type: string }>`select attname::text as name, format_type(atttypid, atttypmod) as type
        from pg_attribute where attrelid = to_regclass(${qualified(this.target)}) and attnum > 0 and not attisdropped`,
    );
    const cast = (column: string) =>
      `${escapeIdentifier(column)}::${types.find(({ name }) => name === column)?.type ?? 'text'}`;
    await moveRows(this.client, {
      ...{ target: sql.raw(qualified(this.target)), source: sql.raw('restored_rows') },
      ...{ columns: sql.raw(columnList(common)), values: sql.raw(common.map(cast).join(', ')) },
    });
    await this.client.query('drop table restored_rows');
  }
}

interface RowMove {
  /** @sql bookmarks */
  readonly target: Sql;
  /** @sql id */
  readonly columns: Sql;
  /** @sql id */
  readonly values: Sql;
  /** @sql bookmarks */
  readonly source: Sql;
}

const moveRows = (client: Client, { target, columns, values, source }: RowMove): Promise<number> =>
  affected(client, sql`insert into ${target} (${columns}) select ${values} from ${source}`);

/** Rows of a table that was just loaded are read in the order in which they were written. */
async function compareTables(
  client: Client,
  archived: readonly ArchivedTable[],
  targets: readonly LoadTarget[],
  contents: ReadonlyMap<string, TableContent>,
): Promise<void> {
  for (const [position, target] of targets.entries()) {
    const table = archived[position];
    if (!table || target.foreignColumns) continue;
    const lines = client.query(
      copyTo(`copy (select ${columnList(table.columns)} from only ${qualified(target)}) to stdout`),
    );
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const part of lines) {
      hash.update(part as Buffer);
      bytes += (part as Buffer).length;
    }
    requireSameContent(contents.get(tableKey(table)), {
      table: tableKey(table),
      rows: lines.rowCount,
      bytes,
      sha256: hash.digest('hex'),
    });
  }
}
