import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, Matches, MaxLength } from 'class-validator';
import { IsNullableField, IsOptionalField, RequiredTextLine } from '../../common/http/fields.js';
import { FIELDS_BY_NAME, type ListedField } from './channel-list.js';

/** Maximum number of recipients of a rule. */
export const MAX_RECIPIENTS = 50;
const MAX_RECIPIENT_CHARACTERS = 254;
export const MAX_ADDRESS_CHARACTERS = 2000;
const TO_ADVICE = { message: `to must be a list of at most ${MAX_RECIPIENTS} ids of members or e-mail addresses` };

/** Names of fields that responses contain. */
export const SHOWN_FIELDS = [...FIELDS_BY_NAME].flatMap(([name, channels]) =>
  channels.some(({ field }) => !field.secret) ? [name] : [],
);

/** Adds the fields of all channels to a request class. */
export const RequestFields = (): ClassDecorator => (target) => {
  for (const [name, channels] of FIELDS_BY_NAME)
    for (const decorator of requestDecorators(name, channels)) decorator(target.prototype as object, name);
};

/** Adds the fields that are not secret to a response class. */
export const ViewFields = (): ClassDecorator => (target) => {
  for (const name of SHOWN_FIELDS) {
    const channels = FIELDS_BY_NAME.get(name) ?? [];
    const isList = channels.some(({ field }) => field.kind === 'recipients');
    const description = viewDescription(channels);
    ApiProperty({ type: isList ? [String] : String, nullable: true, description })(target.prototype as object, name);
  }
};

function requestDecorators(name: string, channels: readonly ListedField[]): PropertyDecorator[] {
  const description = channels.map(({ types, field }) => `For ${listTypes(types)}: ${field.description}`).join(' ');
  const fields = channels.map(({ field }) => field);
  const example = fields.find((field) => field.example !== undefined)?.example;
  const isOptional = fields.some(({ required }) => !required);
  const optional = isOptional ? IsNullableField() : IsOptionalField();
  const property = { required: false, description, ...(isOptional ? { nullable: true } : {}) };
  const [field] = fields;
  switch (field?.kind) {
    case 'recipients':
      return [
        ApiProperty({
          ...property,
          ...{ type: 'array', items: { type: 'string', maxLength: MAX_RECIPIENT_CHARACTERS } },
          ...{ minItems: 1, maxItems: MAX_RECIPIENTS, example: example === undefined ? undefined : [example] },
        }),
        optional,
        IsArray(TO_ADVICE),
        ArrayMaxSize(MAX_RECIPIENTS, TO_ADVICE),
        ArrayMinSize(1, { message: 'to must contain at least one recipient' }),
        IsString({ each: true, ...TO_ADVICE }),
        MaxLength(MAX_RECIPIENT_CHARACTERS, { each: true, ...TO_ADVICE }),
      ];
    case 'address':
      return [ApiProperty({ ...property, type: String, example }), optional, RequiredTextLine(MAX_ADDRESS_CHARACTERS)];
    case 'text':
      return [
        ApiProperty({ ...property, type: String, example, pattern: field.pattern.source }),
        optional,
        Matches(field.pattern, { message: `${name} ${field.patternMessage}` }),
      ];
    case undefined:
      return [];
  }
}

function viewDescription(channels: readonly ListedField[]): string {
  const shown = channels.filter(({ field }) => !field.secret);
  const hidden = channels.filter(({ field }) => field.secret);
  const texts = shown.map(
    ({ types, field: { shownAs } }) => `For ${listTypes(types)}${shownAs === undefined ? '' : `: ${shownAs}`}`,
  );
  const hiddenTypes = hidden.flatMap(({ types }) => types);
  const hint = hiddenTypes.length > 0 ? ` Never shown for ${listTypes(hiddenTypes)}.` : '';
  return `${texts.join('; ')}; null for other types.${hint}`;
}

const listTypes = (types: readonly string[]): string => types.map((type) => `\`${type}\``).join(' and ');
