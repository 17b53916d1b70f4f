import { type Fields, isFields, type YamlTree } from '../../code/plan-text.ts';
import { convertContextReferences } from './context-text.ts';
import { convertCall } from './convert-call.ts';
import { convertScript } from './convert-script.ts';
import {
  hasValue,
  isTrue,
  type JobContext,
  addNote,
  toText,
  createLostPart,
  toLostReferences,
  type ConvertedProgram,
} from './notes.ts';
import { createPlaceholderStep } from './placeholder.ts';

/** Fields for what a step runs. A step has exactly one of them. */
const STEP_KINDS = ['exec', 'script', 'scriptfile', 'scripturl', 'jobref', 'type'];
const SCRIPT_FIELDS = [
  'args',
  'scriptInterpreter',
  'fileExtension',
  'interpreterArgsQuoted',
  'expandTokenInScriptFile',
];
/** Further supported fields, by kind of step. */
const SECONDARY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  script: SCRIPT_FIELDS,
  scriptfile: SCRIPT_FIELDS,
  scripturl: SCRIPT_FIELDS,
  type: ['nodeStep', 'configuration'],
};
const SCRIPT_ONLY_REFERENCE_PATTERN = /@option\.[^@\s]{1,100}@/;
const COMMON_FIELDS = ['description', 'errorhandler', 'enabled', 'plugins', 'keepgoingOnSuccess'];

/** Converts a step. A step that cannot be converted becomes a placeholder: a gate that waits for a person. */
export function convertStep(step: YamlTree, path: string, number: number, context: JobContext): Fields {
  const at = { path, step: String(number) };
  const fields: Fields = isFields(step) ? step : {};
  const description = toText(fields.description);
  const named = {
    key: toStepKey(description, number),
    ...(description === null ? {} : { name: description.slice(0, 200) }),
  };
  const handler = hasValue(fields.errorhandler) ? fields.errorhandler : null;
  const noteLostHandler = (what: string, reason: string) =>
    addNote(context, `${path}/errorhandler`, at.step, `error handler${what}`, reason);
  if (hasValue(fields.plugins))
    addNote(context, `${path}/plugins`, at.step, 'log filter', 'A step sets outputs by $RUNWARD_OUTPUT.');
  for (const { exec } of [fields, isFields(handler) ? handler : {}]) {
    const reference = SCRIPT_ONLY_REFERENCE_PATTERN.exec(toText(exec) ?? '')?.[0];
    if (reference !== undefined)
      addNote(
        context,
        path,
        at.step,
        `reference ${reference}`,
        'Rundeck replaces it only in scripts, so the command keeps it as text. Write ${option.…} in the job.',
      );
  }
  const jobref = isFields(fields.jobref) && findUnknownField(fields) === null ? fields.jobref : null;
  const program = jobref ? convertCall(jobref, context, at) : convertProgram(fields, false, context);
  if ('call' in program) {
    if (handler !== null)
      noteLostHandler(
        '',
        'A call of a plan has no handler. Put the call into a separate plan, or add a step with always.',
      );
    const called = toText(jobref?.name)?.slice(0, 200);
    return { ...(called === undefined ? {} : { name: called }), ...named, ...program.call };
  }
  if ('reason' in program) {
    addNote(context, path, at.step, program.what, program.reason);
    if (handler !== null) noteLostHandler('', 'Its step is not carried over.');
    const own = toText(fields.exec) ?? toText(fields.script);
    const message = `Step ${number} was not carried over from Rundeck: ${program.what}. ${program.reason}`;
    return createPlaceholderStep(named, own === null ? message : `${message}\n\n${own}`);
  }
  let { command } = program;
  if (handler !== null) {
    const rescue = convertProgram(isFields(handler) ? handler : {}, true, context);
    if ('reason' in rescue) noteLostHandler(`: ${rescue.what}`, rescue.reason);
    else if (rescue.become !== program.become) noteLostHandler('', 'It runs as another user than its step.');
    else {
      const handlerProgram = convertProgram(fields, true, context);
      if ('command' in handlerProgram) ({ command } = handlerProgram);
      command = appendHandler(command, rescue.command, isFields(handler) && isTrue(handler.keepgoingOnSuccess));
    }
  }
  return { ...named, command, ...(program.become === null ? {} : { become: program.become }) };
}

function findUnknownField(fields: Fields): string | null {
  const said = Object.keys(fields).filter((name) => hasValue(fields[name]));
  const kinds = said.filter((name) => STEP_KINDS.includes(name));
  if (kinds.length > 1) return kinds.join(' and ');
  const known = [...COMMON_FIELDS, ...kinds, ...(SECONDARY_FIELDS[kinds[0] ?? ''] ?? [])];
  return said.find((name) => !known.includes(name) && fields[name] !== false) ?? null;
}

/** @param apart run as a separate process, so that its variables do not affect later commands */
function convertProgram(fields: Fields, apart: boolean, context: JobContext): ConvertedProgram {
  const odd = findUnknownField(fields);
  if (odd !== null) return createLostPart(odd, 'A step of a plan has no such setting.');
  const exec = toText(fields.exec);
  if (exec !== null) {
    const { text, lost: references } = convertContextReferences(exec, 'command', context);
    if (references.length > 0) return toLostReferences(references);
    return { command: apart ? `(\n${text}\n)` : text, become: null };
  }
  const script = toText(fields.script);
  if (script !== null) return convertScript(script, fields, apart, context);
  if (hasValue(fields.scriptfile))
    return createLostPart(
      `script file ${toText(fields.scriptfile) ?? ''}`,
      'The file is on the Rundeck server. Add it to the script library, then choose it here.',
    );
  if (hasValue(fields.scripturl))
    return createLostPart(
      'script from a URL',
      'Runs do not download scripts. Add it to the script library, then choose it here.',
    );
  if (isFields(fields.jobref))
    return createLostPart(
      `job reference ${toText(fields.jobref.name) ?? toText(fields.jobref.uuid) ?? ''}`,
      'An error handler cannot be another job. Add a later step with always that calls its plan.',
    );
  const type = toText(fields.type);
  if (type !== null)
    return createLostPart(`plugin ${type}`, 'Runward runs no Rundeck plugins. Write a command that does the same.');
  return createLostPart('step of an unknown kind', 'It contains nothing to run.');
}

const appendHandler = (command: string, handler: string, savesExitCode: boolean): string =>
  [
    command,
    'status=$?',
    'if [ "$status" -ne 0 ]; then',
    handler,
    // If the error handler can rescue the step, the handler's status counts.
    savesExitCode ? 'status=$?' : ':',
    'fi',
    'exit "$status"',
  ].join('\n');

function toStepKey(description: string | null, number: number): string {
  const slug = (description ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return slug === '' ? `step-${number}` : `${number}-${slug}`;
}
