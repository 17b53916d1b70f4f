import {
  type Liquid,
  Output,
  type PropertyAccessToken,
  type Template,
  type Token,
  Tokenizer,
  toValueSync,
  TypeGuards,
  Value,
} from 'liquidjs';

export interface VariableReference {
  readonly name: string;
  /**
   * Path below the name, such as `tags` and `role` in `host.tags.role`. Null = known only when the template is
   * rendered.
   */
  readonly fields: readonly (string | null)[];
  /** Offset in the template, in UTF-16 units. */
  readonly offset: number;
  /** Whether the reference is the only content of `{{ … }}`, apart from the filter `raw`. */
  readonly alone: boolean;
  /** Text of the reference if it uses a field that neither texts nor lists have; else null. */
  readonly unknownField: string | null;
}

export interface OutputTagUse {
  readonly source: string;
  readonly offset: number;
  readonly raw: boolean;
  /** Variable without its filters; null for a literal. */
  readonly name: string | null;
}

export interface TemplateUse {
  readonly references: VariableReference[];
  readonly outputs: OutputTagUse[];
  /** Names that the template itself defines, with `assign` and `for`. */
  readonly locals: { readonly name: string; readonly offset: number }[];
  readonly faults: { readonly offset: number; readonly message: string }[];
}

/** Fields that the engine provides for lists and texts. Variables have no other fields. */
const LIST_FIELDS = new Set(['size', 'first', 'last']);

/** Returns the fault in the fields of a variable; null = valid. */
export function findFieldFault({ name, unknownField }: VariableReference): string | null {
  return unknownField === null || name === 'forloop'
    ? null
    : `${unknownField}: a variable has no fields but size, first and last.`;
}

/**
 * Collects references, outputs and local names of a parsed template, and syntax that the engine accepts but Runward
 * does not.
 */
export function readTemplateUse(engine: Liquid, templates: readonly Template[]): TemplateUse {
  const use: TemplateUse = { references: [], outputs: [], locals: [], faults: [] };
  visitTemplates(engine, templates, use);
  return use;
}

function visitTemplates(engine: Liquid, templates: readonly Template[], use: TemplateUse): void {
  for (const template of templates) {
    if (template instanceof Output) readOutput(engine, template, use);
    else readTag(engine, template, use);
  }
}

function readTag(engine: Liquid, template: Template, use: TemplateUse): void {
  for (const argument of template.arguments?.() ?? []) readArgument(argument, template, use);
  for (const local of template.localScope?.() ?? []) use.locals.push({ name: local.content, offset: local.begin });
  for (const name of template.blockScope?.() ?? []) use.locals.push({ name, offset: template.token.begin });
  if (template.children) visitTemplates(engine, toValueSync(template.children(false, true)), use);
}

function readOutput(engine: Liquid, { token, value }: Output, use: TemplateUse): void {
  const filters = value.filters.filter(({ name }) => name in engine.filters);
  const operand = value.initial.postfix[0];
  const variable = operand && TypeGuards.isPropertyAccessToken(operand) ? operand : null;
  const alone = variable?.props.length === 1 && filters.every(({ name, args }) => name === 'raw' && args.length === 0);
  const reader = new Tokenizer(token.content, engine.options.operators);
  reader.readFilteredValue();
  reader.skipBlank();
  const isSingle = value.initial.postfix.length === 1 && operand !== undefined && !TypeGuards.isOperatorToken(operand);
  if (!isSingle || !reader.end() || /\|\s*$/.test(token.content)) {
    use.faults.push({ offset: token.begin, message: `${token.getText()} is not one variable with filters.` });
  }
  use.outputs.push({
    source: token.getText(),
    offset: token.begin,
    raw: filters.at(-1)?.name === 'raw',
    name: variable ? toRootName(variable) : null,
  });
  readValue(value, alone, use);
}

function readArgument(argument: Value | Token, { token }: Template, use: TemplateUse): void {
  if (!(argument instanceof Value)) return readOperand(argument, false, use);
  const operators = argument.initial.postfix.filter((part) => TypeGuards.isOperatorToken(part));
  const notCount = operators.filter((operator) => operator.getText() === 'not').length;
  const operandCount = argument.initial.postfix.length - operators.length;
  if (operandCount - (operators.length - notCount) !== 1) {
    use.faults.push({ offset: token.begin, message: `${token.getText()} is not a complete condition or value.` });
  }
  readValue(argument, false, use);
}

function readValue(value: Value, alone: boolean, use: TemplateUse): void {
  for (const operand of value.initial.postfix) readOperand(operand, alone, use);
  for (const argument of value.filters.flatMap(({ args }) => args)) {
    const argumentValue = Array.isArray(argument) ? argument[1] : argument;
    if (argumentValue) readOperand(argumentValue, false, use);
  }
}

function readOperand(token: Token, alone: boolean, use: TemplateUse): void {
  if (TypeGuards.isRangeToken(token)) {
    readOperand(token.lhs, false, use);
    readOperand(token.rhs, false, use);
  }
  if (!TypeGuards.isPropertyAccessToken(token)) return;
  const name = toRootName(token);
  if (name === null) {
    use.faults.push({ offset: token.begin, message: `${token.getText()} does not begin with the name of a variable.` });
    return;
  }
  const parts = token.props.slice(1);
  use.references.push({
    name,
    offset: token.begin,
    alone,
    fields: parts.map(toFieldName),
    unknownField: parts.some((part) => TypeGuards.isWordToken(part) && !LIST_FIELDS.has(part.content))
      ? token.getText()
      : null,
  });
  for (const part of parts) readOperand(part, false, use);
}

function toFieldName(part: Token): string | null {
  if (TypeGuards.isWordToken(part) || TypeGuards.isQuotedToken(part)) return part.content;
  return null;
}

function toRootName(token: PropertyAccessToken): string | null {
  const root = token.props[0];
  const plain = token.variable === undefined && root !== undefined && TypeGuards.isWordToken(root);
  return plain && root.begin === token.begin ? root.content : null;
}
