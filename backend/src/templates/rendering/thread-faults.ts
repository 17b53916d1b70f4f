import { LiquidError } from 'liquidjs';
import { suggestName } from '../../common/variables/nearest-name.ts';
import { ValueError } from './filters/filter-value.ts';
import { TEMPLATE_FILTERS } from './filters/known-filters.ts';
import { LiteralFault, TEMPLATE_TAGS } from './template-engine.ts';
import type { TemplateErrorCode, TemplateFault, TemplatePlace } from './template-request.ts';

const ADVICE = 'Braces that belong to the file itself are written {% raw %}{{ … }}{% endraw %}.';
const PLACE = /, line:(\d+), col:(\d+)$/;

/** Where a character of a text stands. */
export function placeOf(text: string, offset: number): TemplatePlace {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

const fault = (code: TemplateErrorCode, place: TemplatePlace | null, message: string): TemplateFault => ({
  code,
  place,
  message: place ? `Line ${place.line}, column ${place.column}: ${message}` : message,
});

/** What is wrong with a text that is no template. */
export function parseFault(content: string, error: unknown): TemplateFault {
  if (error instanceof LiteralFault) return fault('invalid_template', placeOf(content, error.offset), error.message);
  const reason = error instanceof Error ? error.message : String(error);
  const [, line, column] = PLACE.exec(reason) ?? [];
  const place = line === undefined ? null : { line: Number(line), column: Number(column) };
  const told = (message: string) => fault('invalid_template', place, message);
  const filter = /^undefined filter: ([^,]*)/.exec(reason)?.[1];
  if (filter !== undefined)
    return told(
      `there is no filter "${filter}". ${suggestName(filter, TEMPLATE_FILTERS, 'filter')} All: ${TEMPLATE_FILTERS.join(', ')}.`,
    );
  const tag = /^tag "([^"]*)" not found/.exec(reason)?.[1];
  if (tag !== undefined)
    return told(`{% ${tag} %} cannot be used here. The tags are ${TEMPLATE_TAGS.join(', ')}. ${ADVICE}`);
  if (reason.startsWith('Maximum call stack'))
    return fault('invalid_template', null, 'The template is nested too deeply.');
  return told(`${reason.replace(PLACE, '').replace(/\.$/, '')}. ${ADVICE}`);
}

/** Why a template can't be rendered with these values. */
export function renderFault(error: unknown): TemplateFault {
  if (!(error instanceof LiquidError)) return fault('invalid_value', null, String(error));
  const place = placeOf(error.token.input, error.token.begin);
  const where = `in ${error.token.getText().slice(0, 200)}: `;
  const cause = error.originalError;
  if (cause instanceof ValueError) return fault(cause.code, place, where + cause.message);
  const reason = error.message.replace(PLACE, '');
  const name = /^undefined variable: (.*)/.exec(reason)?.[1];
  if (name !== undefined)
    return fault(
      'undefined_variable',
      place,
      `there is no value for "${name}". Declare the variable in the plan, or say what to use instead: | default: 'x'.`,
    );
  if (/limit exceeded/.test(reason)) return fault('too_much', null, TOO_MUCH);
  if (/Maximum call stack/.test(reason)) return fault('too_much', null, TOO_MUCH);
  return fault('invalid_value', place, `${where}${reason}.`);
}

const TOO_MUCH = 'Rendering the template takes too much time or memory.';
