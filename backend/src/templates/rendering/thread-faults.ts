import { LiquidError } from 'liquidjs';
import { suggestName } from '../../common/text/nearest-name.ts';
import { ValueError } from './filters/filter-value.ts';
import { TEMPLATE_FILTERS } from './filters/known-filters.ts';
import { LiteralPatternError, TEMPLATE_TAGS } from './template-engine.ts';
import type { TemplateErrorCode, TemplateFault, TemplatePosition } from './template-request.ts';

const ADVICE = 'Braces that belong to the file itself are written {% raw %}{{ … }}{% endraw %}.';
const POSITION_SUFFIX = /, line:(\d+), col:(\d+)$/;

export function positionOf(text: string, offset: number): TemplatePosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

const fault = (code: TemplateErrorCode, position: TemplatePosition | null, message: string): TemplateFault => ({
  code,
  position,
  message: position ? `Line ${position.line}, column ${position.column}: ${message}` : message,
});

export function parseFault(content: string, error: unknown): TemplateFault {
  if (error instanceof LiteralPatternError)
    return fault('invalid_template', positionOf(content, error.offset), error.message);
  const reason = error instanceof Error ? error.message : String(error);
  const [, line, column] = POSITION_SUFFIX.exec(reason) ?? [];
  const position = line === undefined ? null : { line: Number(line), column: Number(column) };
  const invalidTemplate = (message: string) => fault('invalid_template', position, message);
  const filter = /^undefined filter: ([^,]*)/.exec(reason)?.[1];
  if (filter !== undefined)
    return invalidTemplate(
      `there is no filter "${filter}". ${suggestName(filter, TEMPLATE_FILTERS, 'filter')} All: ${TEMPLATE_FILTERS.join(', ')}.`,
    );
  const tag = /^tag "([^"]*)" not found/.exec(reason)?.[1];
  if (tag !== undefined)
    return invalidTemplate(`{% ${tag} %} cannot be used here. The tags are ${TEMPLATE_TAGS.join(', ')}. ${ADVICE}`);
  if (reason.startsWith('Maximum call stack'))
    return fault('invalid_template', null, 'The template is nested too deeply.');
  return invalidTemplate(`${reason.replace(POSITION_SUFFIX, '').replace(/\.$/, '')}. ${ADVICE}`);
}

export function renderFault(error: unknown): TemplateFault {
  if (!(error instanceof LiquidError)) return fault('invalid_value', null, String(error));
  const position = positionOf(error.token.input, error.token.begin);
  const where = `in ${error.token.getText().slice(0, 200)}: `;
  const cause = error.originalError;
  if (cause instanceof ValueError) return fault(cause.code, position, where + cause.message);
  const reason = error.message.replace(POSITION_SUFFIX, '');
  const name = /^undefined variable: (.*)/.exec(reason)?.[1];
  if (name !== undefined)
    return fault(
      'undefined_variable',
      position,
      `there is no value for "${name}". Declare the variable in the plan, or say what to use instead: | default: 'x'.`,
    );
  if (/limit exceeded/.test(reason)) return fault('too_much', null, TOO_MUCH_TEXT);
  if (/Maximum call stack/.test(reason)) return fault('too_much', null, TOO_MUCH_TEXT);
  return fault('invalid_value', position, `${where}${reason}.`);
}

const TOO_MUCH_TEXT = 'Rendering the template takes too much time or memory.';
