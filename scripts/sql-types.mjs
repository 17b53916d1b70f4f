/**
 * Checks each statement of the back end and of the tools against the migrated schema: PostgreSQL parses it, and its columns must have
 * the names and types of its row type, `sql<Row>`. Runs on the product's Node.js, after the build.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import ts from 'typescript';
import { migrateDatabase } from '../backend/dist/common/database/boot/migrate.js';
import { startEmbeddedPostgres } from '../backend/dist/common/database/embedded/embedded-postgres.js';
import { inRoot, root } from './lib/paths.mjs';
import { describeStatement, readNotNull, readTypes, rowFaults } from './lib/sql/columns.mjs';
import { evaluator, Unresolved } from './lib/sql/evaluate.mjs';
import { memoryFolder } from './lib/memory-folder.mjs';

const STATEMENT = /^\s*(?:--[^\n]*\n\s*)*(?:select|insert|update|delete|with|merge)\b/i;

let count = 0;
let failed = 0;

const [backend, tools] = ['backend', 'tools'].map((folder) =>
  ts.getParsedCommandLineOfConfigFile(inRoot(folder, 'tsconfig.json'), {}, { ...ts.sys }),
);
const program = ts.createProgram([...backend.fileNames, ...tools.fileNames], tools.options);
const checker = program.getTypeChecker();
const { isTag, isSqlType, statement, rowTypeOf, dependsOnCaller, helperFunction } = evaluator(
  checker,
  inRoot('backend/src/common/database/sql.ts'),
);

const FOLDERS = ['backend/src', 'tools'].map((folder) => `${inRoot(folder)}/`);
const sources = () =>
  program
    .getSourceFiles()
    .filter(
      ({ fileName, isDeclarationFile }) => !isDeclarationFile && FOLDERS.some((folder) => fileName.startsWith(folder)),
    )
    .filter(({ fileName }) => !fileName.endsWith('.spec.ts'));

/** Statements that run, and templates of whole statements. Parts are checked where a statement contains them. */
function statements() {
  const found = new Set();
  for (const source of sources()) {
    const visit = (node) => {
      if (ts.isTaggedTemplateExpression(node) && isTag(node) && STATEMENT.test(headOf(node)) && !dependsOnCaller(node))
        found.add(node);
      if (ts.isCallExpression(node) && helperFunction(node.expression)) {
        const run = node.arguments[1];
        // A function that runs a statement of its caller.
        const passedOn = run && ts.isIdentifier(run) && dependsOnCaller(run);
        if (run && isSqlType(checker.getTypeAtLocation(run)) && !passedOn) found.add(run);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** Migrations, and the settings of a new session. */
const EXCEPTIONS = /\/migrations\/|\/session-client\.ts$/;

/** Statements that bypass the helper, so that their rows are not checked. Session commands have no values and no rows. */
function uncheckedQueries() {
  const found = [];
  for (const source of sources()) {
    if (EXCEPTIONS.test(source.fileName)) continue;
    const visit = (node) => {
      if (
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        node.expression.name.text === 'query'
      ) {
        const [text] = node.arguments;
        if (text && /^[`'"\s]*(?:select|insert|update|delete|with|merge)\b/i.test(text.getText())) found.push(node);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

const headOf = ({ template }) => (ts.isNoSubstitutionTemplateLiteral(template) ? template.text : template.head.text);

function textOf(parts) {
  let values = 0;
  return parts.list.map((part) => (part === null ? `$${++values}` : part)).join('');
}

async function faultsOf(node, client, schema) {
  const faults = new Set();
  for (const first of [true, false])
    try {
      const fields = await describeStatement(client, textOf(statement(node, first)));
      const rowType = rowTypeOf(node);
      if (rowType) for (const fault of rowFaults(checker, rowType, node, fields, schema)) faults.add(fault);
    } catch (error) {
      if (!(error instanceof Unresolved) && !('severity' in error)) throw error;
      faults.add(error.message);
    }
  return [...faults];
}

function report(node, fault) {
  failed += 1;
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  console.error(`${path.relative(root, source.fileName)}:${line + 1}: ${fault}`);
}

const dataDir = await mkdtemp(path.join(memoryFolder() ?? tmpdir(), 'runward-sql-'));
const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined, settings });
try {
  await migrateDatabase(postgres.url, 'sql-types', null);
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const schema = { kind: await readTypes(client), notNull: await readNotNull(client) };
  for (const node of statements()) {
    count += 1;
    for (const fault of await faultsOf(node, client, schema)) report(node, fault);
  }
  for (const node of uncheckedQueries()) report(node, 'build this statement with `sql` from common/database/sql.ts');
  await client.end();
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
console.log(`${count} statements checked against the schema, ${failed} faults.`);
if (failed > 0) process.exitCode = 1;
