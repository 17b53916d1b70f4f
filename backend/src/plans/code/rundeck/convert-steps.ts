import type { Tree } from '../plan-text.ts';
import { convertText, type TextUse } from './context-text.ts';
import { convertCall } from './convert-call.ts';
import { type Fields, isFields, isSaid, isTrue, type JobContext, note, textOf } from './notes.ts';

const SHELLS = /^(?:\/\S*\/)?(?:env\s+)?(?:ba|da|k|z|a)?sh\b/;
const KNOWN = new Set([
  ...['exec', 'script', 'description', 'errorhandler', 'args', 'scriptInterpreter', 'fileExtension', 'enabled'],
  ...[
    'interpreterArgsQuoted',
    'scriptfile',
    'scripturl',
    'jobref',
    'type',
    'nodeStep',
    'configuration',
    'keepgoingOnSuccess',
  ],
  ...['plugins', 'expandTokenInScriptFile'],
]);
const MOST_MESSAGE = 1800;

/** What a step runs, as shell text, or why it can't be. */
type Program = { command: string; become: string | null } | { what: string; reason: string };

/** One step of a job as a step of a plan: where it can't be carried over, one that waits for a person in its place. */
export function convertStep(step: Tree, path: string, number: number, context: JobContext): Fields {
  const at = { path, step: String(number) };
  const fields: Fields = isFields(step) ? step : {};
  const description = textOf(fields.description);
  const named = {
    key: keyOf(description, number),
    ...(description === null ? {} : { name: description.slice(0, 200) }),
  };
  const handler = isFields(fields.errorhandler) ? fields.errorhandler : null;
  for (const [name, value] of Object.entries(fields))
    if (!KNOWN.has(name) && isSaid(value))
      note(context, `${path}/${name}`, at.step, name, 'There is no such setting of a step.');
  if (isSaid(fields.plugins))
    note(
      context,
      `${path}/plugins`,
      at.step,
      'log filter',
      'Output is kept as it is; a step sets outputs by $RUNWARD_OUTPUT.',
    );
  const jobref = isFields(fields.jobref) ? fields.jobref : null;
  const program = jobref ? convertCall(jobref, context, at) : programOf(fields, handler !== null, context, at);
  if ('call' in program) {
    if (handler) {
      const reason =
        'A step that calls a plan has no handler: put the call into a plan of its own, or let a later step run always.';
      note(context, `${path}/errorhandler`, at.step, 'error handler', reason);
    }
    const called = textOf(jobref?.name)?.slice(0, 200);
    return { ...(called === undefined ? {} : { name: called }), ...named, ...program.call };
  }
  if ('reason' in program) {
    note(context, path, at.step, program.what, program.reason);
    const message = `Step ${number} was not carried over from Rundeck: ${program.what}. ${program.reason}`;
    return { ...named, type: 'gate', message: message.slice(0, MOST_MESSAGE) };
  }
  let { command } = program;
  if (handler) {
    const rescue = programOf(handler, true, context, at);
    if ('reason' in rescue)
      note(context, `${path}/errorhandler`, at.step, `error handler: ${rescue.what}`, rescue.reason);
    else command = withHandler(command, rescue.command, isTrue(handler.keepgoingOnSuccess));
  }
  return { ...named, command, ...(program.become === null ? {} : { become: program.become }) };
}

/** @param apart it is run as a process of its own, so that what it sets does not reach what comes after it */
function programOf(fields: Fields, apart: boolean, context: JobContext, at: { path: string; step: string }): Program {
  const exec = textOf(fields.exec);
  if (exec !== null) {
    const text = convertText(exec, 'command', context, at);
    return { command: apart ? `(\n${text}\n)` : text, become: null };
  }
  const script = textOf(fields.script);
  if (script !== null) return scriptOf(script, fields, apart, context, at);
  if (isSaid(fields.scriptfile))
    return lost(
      `script file ${textOf(fields.scriptfile) ?? ''}`,
      'The file lies on the Rundeck server: add it to the scripts of the library and choose it here.',
    );
  if (isSaid(fields.scripturl))
    return lost(
      'script from a URL',
      'Scripts are not downloaded when a run comes to them: add it to the scripts of the library and choose it here.',
    );
  if (isFields(fields.jobref))
    return lost(
      `job reference ${textOf(fields.jobref.name) ?? textOf(fields.jobref.uuid) ?? ''}`,
      'An error handler that is another job is not carried over: let a later step with always call its plan.',
    );
  const type = textOf(fields.type);
  if (type !== null)
    return lost(`plugin ${type}`, 'Plugins of Rundeck are not run: write the command that does the same.');
  return lost('step of an unknown kind', 'It names nothing that could be run.');
}

const lost = (what: string, reason: string): Program => ({ what: what.trim(), reason });

function scriptOf(
  script: string,
  fields: Fields,
  apart: boolean,
  context: JobContext,
  at: { path: string; step: string },
): Program {
  const shebang = /^\s*#!\s*(\S[^\n]*)/.exec(script)?.[1]?.trim() ?? null;
  const given = textOf(fields.scriptInterpreter)?.trim() ?? null;
  const sudo = given === null ? null : /^sudo(?:\s+-u\s+(\S+))?\s*(.*)$/s.exec(given);
  const interpreter = (sudo ? sudo[2] : given) || shebang || 'sh';
  const become = sudo ? (sudo[1] ?? 'root') : null;
  const args = textOf(fields.args);
  const use: TextUse = SHELLS.test(interpreter.replace(/^\/usr\/bin\/env\s+/, '')) ? 'shell-file' : 'other-file';
  const text = convertText(script, use, context, at);
  if (!apart && args === null && /^(?:\/bin\/)?sh$/.test(interpreter)) return { command: text, become };
  const runs = args === null ? '' : ` ${convertText(args, 'command', context, at)}`;
  const program = interpreter.includes('${scriptfile}')
    ? interpreter.replaceAll('${scriptfile}', '"$script"')
    : `${interpreter} "$script"`;
  const mark = markFor(text);
  const lines = [
    'script=$(mktemp) || exit 1',
    `trap 'rm -f "$script"' EXIT`,
    `cat > "$script" <<'${mark}'`,
    text.replace(/\n?$/, '\n') + mark,
  ];
  const command = [...lines, `${program}${runs}`].join('\n');
  return { command: apart ? `(\n${command}\n)` : command, become };
}

/** A line that the text does not hold. */
function markFor(text: string): string {
  let mark = 'END_OF_SCRIPT';
  while (text.includes(mark)) mark += '_';
  return mark;
}

const withHandler = (command: string, handler: string, saves: boolean): string =>
  [
    command,
    'status=$?',
    'if [ "$status" -ne 0 ]; then',
    handler,
    // Where the handler may save the step, its own result counts.
    saves ? 'status=$?' : ':',
    'fi',
    'exit "$status"',
  ].join('\n');

function keyOf(description: string | null, number: number): string {
  const slug = (description ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return slug === '' ? `step-${number}` : `${number}-${slug}`;
}
