/** Result columns of SQL statements as PostgreSQL describes them, and their comparison with TypeScript types. */
import ts from 'typescript';

/** A statement that PostgreSQL parses and describes without executing it. Passed to `Client.query`. */
class Description {
  constructor(text) {
    this.text = text;
    this.fields = [];
    this.failure = null;
    this.done = new Promise((resolve) => (this.resolve = resolve));
  }

  submit(connection) {
    connection.parse({ text: this.text, name: '', types: [] });
    connection.describe({ type: 'S', name: '' });
    connection.sync();
    return null;
  }

  handleRowDescription(message) {
    this.fields = message.fields;
  }

  handleError(error) {
    this.failure = error;
    this.resolve();
  }

  handleReadyForQuery() {
    this.resolve();
  }
}

/** @returns {Promise<{ fields: { name: string, tableID: number, columnID: number, dataTypeID: number }[] }>} */
export async function describeStatement(client, text) {
  const description = new Description(text);
  client.query(description);
  await description.done;
  if (description.failure) throw description.failure;
  return description.fields;
}

/** TypeScript kind of the values that `pg` returns for each type of the database. */
export async function readTypes(client) {
  const { rows } = await client.query('select oid::int, typname, typelem::int, typtype from pg_type');
  const byOid = new Map(rows.map((row) => [row.oid, row]));
  return (oid) => kindOf(byOid, oid);
}

const KINDS = {
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  oid: 'number',
  float4: 'number',
  float8: 'number',
  bytea: 'Buffer',
  timestamptz: 'Date',
  timestamp: 'Date',
  date: 'Date',
  json: 'json',
  jsonb: 'json',
  void: 'any',
  record: 'any',
};
/** Arrays that `pg` returns as text, because it knows no parser for them. */
const TEXT_ARRAYS = new Set(['_xid8', '_pg_lsn']);

function kindOf(byOid, oid) {
  const type = byOid.get(oid);
  if (!type) return 'string';
  if (type.typname.startsWith('_') && type.typelem !== 0 && !TEXT_ARRAYS.has(type.typname))
    return `${kindOf(byOid, type.typelem)}[]`;
  return KINDS[type.typname] ?? 'string';
}

/** Columns that the schema declares `not null`, as `table.column` numbers. */
export async function readNotNull(client) {
  const { rows } = await client.query(
    `select attrelid::int as table, attnum as column from pg_attribute where attnotnull and attnum > 0`,
  );
  return new Set(rows.map(({ table, column }) => `${table}.${column}`));
}

/** Differences between a row type and the columns of its statement, as phrases. */
export function rowFaults(checker, rowType, location, fields, { kind, notNull }) {
  const faults = [];
  const properties = new Map(checker.getPropertiesOfType(rowType).map((property) => [property.name, property]));
  for (const { name, dataTypeID, tableID, columnID } of fields) {
    const property = properties.get(name);
    if (!property) continue;
    properties.delete(name);
    const declared = checker.getTypeOfSymbolAtLocation(property, location);
    const actual = kind(dataTypeID);
    if (!accepts(checker, declared, actual)) faults.push(`${name} is ${actual}, not ${checker.typeToString(declared)}`);
    else if (tableID > 0 && columnID > 0 && !notNull.has(`${tableID}.${columnID}`) && !takesNull(declared))
      faults.push(`${name} can be null`);
  }
  const optional = ts.SymbolFlags.Optional;
  for (const [name, property] of properties) if (!(property.flags & optional)) faults.push(`no column ${name}`);
  return faults;
}

const isOpen = (type) => (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0;
const EMPTY = ts.TypeFlags.Null | ts.TypeFlags.Undefined;
const membersOf = (type) => (type.isUnion() ? type.types : [type]);
const takesNull = (type) => isOpen(type) || membersOf(type).some(({ flags }) => (flags & EMPTY) !== 0);

function accepts(checker, declared, actual) {
  if (isOpen(declared) || actual === 'any') return true;
  return membersOf(declared)
    .filter(({ flags }) => (flags & EMPTY) === 0)
    .every((type) => acceptsOne(checker, type, actual));
}

function acceptsOne(checker, type, actual) {
  if (actual === 'json') return !['Date', 'Buffer'].includes(type.symbol?.name);
  if (actual.endsWith('[]')) {
    const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type) : [];
    return element !== undefined && accepts(checker, element, actual.slice(0, -2));
  }
  if (actual === 'string') return (type.flags & ts.TypeFlags.StringLike) !== 0 || isBranded(type);
  if (actual === 'number') return (type.flags & ts.TypeFlags.NumberLike) !== 0;
  if (actual === 'boolean') return (type.flags & ts.TypeFlags.BooleanLike) !== 0;
  return type.symbol?.name === actual;
}

const isBranded = (type) =>
  type.isIntersection() && type.types.some(({ flags }) => (flags & ts.TypeFlags.StringLike) !== 0);
