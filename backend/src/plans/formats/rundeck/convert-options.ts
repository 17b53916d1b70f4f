import { type Fields, isFields, type YamlTree } from '../../code/plan-text.ts';
import { hasValue, isTrue, type JobContext, addNote, toText } from './notes.ts';

export interface JobOption {
  readonly name: string;
  readonly variable: string;
  readonly fields: Fields;
  readonly path: string;
}

/** Names of variables with a meaning for shells or programs. */
const RESERVED_NAMES_PATTERN = /^(PATH|IFS|ENV|BASH_ENV|PS4|PROMPT_COMMAND|LD_.*|RUNWARD_.*)$/;
const MAX_DESCRIPTION_CHARACTERS = 500;
const UNSUPPORTED_FIELDS: readonly (readonly [string, string])[] = [
  ['valuesUrl', 'Runward does not load choices from an address. List the choices, or allow any value.'],
  ['valuesFromPlugin', 'Runward does not load choices from a plugin.'],
  ['optionValuesPlugin', 'Runward does not load choices from a plugin.'],
  ['storagePath', 'Runward does not read the key storage of Rundeck. Set the secret in the environment.'],
  ['isDate', 'Runward has no date picker; the value is a text.'],
  ['dateFormat', 'Runward has no date picker; the value is a text.'],
  ['hidden', 'A variable is always shown at a start.'],
  ['multivalueAllSelected', 'No value is selected by default.'],
  ['delimiter', 'Several values are one text, with this separator.'],
];
/** Fields that variables also have, or that only affect the display in Rundeck. */
const KNOWN_FIELDS = [
  ...[
    'name',
    'description',
    'label',
    'required',
    'value',
    'defaultValue',
    'values',
    'enforced',
    'multivalued',
    'regex',
  ],
  ...['secure', 'valueExposed', 'type', 'sortIndex', 'sortValues', 'valuesListDelimiter'],
];
/** Fields that replace the default, which is then lost. */
const DEFAULT_SOURCE_FIELDS = ['storagePath', 'multivalueAllSelected'];

/** Returns the options of a job: in the text a list, or in older texts a map by name. */
export function readOptions(options: YamlTree | undefined, path: string): JobOption[] {
  const entries: [string, Fields, string][] = Array.isArray(options)
    ? options.flatMap((each, index): [string, Fields, string][] =>
        isFields(each) ? [[toText(each.name) ?? '', each, `${path}/${index}`]] : [],
      )
    : Object.entries(isFields(options) ? options : {}).map(([name, each]): [string, Fields, string] => [
        name,
        isFields(each) ? each : {},
        `${path}/${name}`,
      ]);
  const taken = new Set<string>();
  return entries
    .filter(([name]) => name !== '')
    .map(([name, fields, at]) => {
      const plain = toVariableName(name);
      let variable = plain;
      for (let number = 2; taken.has(variable); number += 1) variable = `${plain}_${number}`;
      taken.add(variable);
      return { name, variable, fields, path: at };
    });
}

/** Returns the variable name for an option. The name may not be unique yet. */
export function toVariableName(option: string): string {
  const plain = option
    .replace(/[^A-Za-z0-9_]/g, '_')
    .replace(/^(?=[0-9])/, '_')
    .slice(0, 56);
  return RESERVED_NAMES_PATTERN.test(plain) ? `${plain}_option` : plain;
}

export function convertOption(option: JobOption, context: JobContext): Fields {
  const { name, variable, fields, path } = option;
  const noteLoss = (what: string, reason: string) => addNote(context, path, null, `option ${name}: ${what}`, reason);
  const isSet = (field: string) => hasValue(fields[field]) && fields[field] !== 'false' && fields[field] !== false;
  for (const [field, reason] of UNSUPPORTED_FIELDS) if (isSet(field)) noteLoss(field, reason);
  for (const field of Object.keys(fields))
    if (isSet(field) && !KNOWN_FIELDS.includes(field) && !UNSUPPORTED_FIELDS.some(([known]) => known === field))
      noteLoss(field, 'A variable has no such setting.');
  const secret = isTrue(fields.secure) || isTrue(fields.valueExposed);
  if (isTrue(fields.secure) && !isTrue(fields.valueExposed))
    noteLoss('secure', 'Commands of the plan can read the secret.');
  const choices = readChoices(fields);
  const isMultiple = isTrue(fields.multivalued);
  const isChoice = choices.length > 0 && isTrue(fields.enforced) && !isMultiple && !secret;
  if (isMultiple && choices.length === 0) noteLoss('multivalued', 'Several values are entered as one text.');
  if (choices.length > 0 && !isChoice)
    noteLoss(
      'values',
      isMultiple
        ? 'Several of them may be chosen: enter them as one text.'
        : 'They were suggestions; any text can be entered.',
    );
  if (fields.type === 'file') noteLoss('file', 'A run accepts no files.');
  else if (isSet('type') && fields.type !== 'text')
    noteLoss(`type ${toText(fields.type) ?? ''}`, 'The value is a text.');
  const preset = toText(fields.value) ?? toText(fields.defaultValue);
  if (secret && preset !== null)
    noteLoss('value', 'A secret has no default, because the plan would show it. Set it in the environment.');
  const isUnlistedDefault = isChoice && preset !== null && !choices.includes(preset);
  if (isUnlistedDefault) noteLoss('value', 'The default is not one of the values.');
  // In the value of an option, Rundeck replaces only references to globals.
  const isGlobal = !secret && preset !== null && /\$\{globals\./.test(preset);
  if (isGlobal) noteLoss('value', 'Runward has no globals. Write the value itself, or set it in the environment.');
  const isDefaultLost = preset === null ? DEFAULT_SOURCE_FIELDS.some(isSet) : secret || isUnlistedDefault || isGlobal;
  const pattern = toText(fields.regex);
  if (pattern !== null && isChoice) noteLoss('regex', 'A choice has no pattern.');
  const description = [toText(fields.label), toText(fields.description)].filter(Boolean).join(': ');
  if (description.length > MAX_DESCRIPTION_CHARACTERS)
    noteLoss('description', `Only ${MAX_DESCRIPTION_CHARACTERS} characters are kept.`);
  return {
    name: variable,
    type: secret ? 'secret' : isChoice ? 'choice' : 'string',
    ...(description === '' ? {} : { description: description.slice(0, MAX_DESCRIPTION_CHARACTERS) }),
    // Without `required`, commands would run with an empty value instead of the lost default.
    ...(isTrue(fields.required) || isDefaultLost ? { required: true } : {}),
    ...(preset === null || isDefaultLost ? {} : { default: preset }),
    ...(isChoice ? { choices } : {}),
    ...(pattern === null || isChoice ? {} : { pattern }),
  };
}

function readChoices({ values, valuesListDelimiter }: Fields): string[] {
  const listed = Array.isArray(values)
    ? values.flatMap((each) => toText(each) ?? [])
    : (toText(values)
        ?.split(toText(valuesListDelimiter) ?? ',')
        .map((each) => each.trim()) ?? []);
  return [...new Set(listed)];
}
