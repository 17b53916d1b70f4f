import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validate } from 'class-validator';
import { closest, distance } from 'fastest-levenshtein';
import { MAX_LISTED_FAULTS } from '../errors/bounded-problem.js';
import type { FaultCode } from '../errors/fault-codes.js';
import { invalidRequest, type Problem } from '../errors/problem.js';
import type { ProblemItem } from '../errors/problem-item.js';
import { toPointerPart, shortenText } from '../text/shorten.js';
import { listFieldsWithoutNull } from './fields.js';

type Constructor = abstract new (...args: never[]) => object;
const UNVALIDATED_TYPES: unknown[] = [String, Number, Boolean, Object, Array, Buffer];

/** Maximum length of a name for which a similar name is suggested. The comparison takes time by length. */
const MAX_COMPARED_LENGTH = 128;

/** Stable codes by constraint name of class-validator. Default: `invalid_value`. */
const CODES_BY_CONSTRAINT: Partial<Record<string, FaultCode>> = {
  whitelistValidation: 'unknown_field',
  isDefined: 'required',
  isNotEmpty: 'required',
  isString: 'wrong_type',
  isInt: 'wrong_type',
  isNumber: 'wrong_type',
  isBoolean: 'wrong_type',
  isArray: 'wrong_type',
  isObject: 'wrong_type',
  nestedValidation: 'wrong_type',
  isIn: 'not_allowed_value',
  isEnum: 'not_allowed_value',
  minLength: 'too_short',
  maxLength: 'too_long',
  isLength: 'wrong_length',
  arrayUnique: 'duplicate_item',
  arrayMaxSize: 'too_many',
  arrayMinSize: 'too_few',
  min: 'out_of_range',
  max: 'out_of_range',
  matches: 'invalid_format',
  isEmail: 'invalid_format',
  isIso8601: 'invalid_format',
  visible: 'forbidden_character',
  isTimeZone: 'unknown_time_zone',
  isCron: 'invalid_cron',
};

/**
 * Validates requests strictly. Rejects unknown fields and parameters and suggests the nearest known name. Converts no
 * values. Reports the first faults with JSON pointers, or `?name` for query parameters.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const type = metadata.metatype as Constructor | undefined;
    if (metadata.type !== 'body' && metadata.type !== 'query') return value;
    if (!type || UNVALIDATED_TYPES.includes(type)) {
      // `import type` of a request class leaves the class Object, which would accept everything.
      throw new Error(`A ${metadata.type} argument has no request class; import it as a value, not as a type.`);
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw invalidRequest([{ path: '', code: 'wrong_type', message: 'Send a JSON object.' }]);
    }
    if (metadata.type === 'query') requireStorableQuery(value);
    // A query string is an object without prototype, but class-transformer needs a plain object.
    const instance = plainToInstance(type as new () => object, { ...value }, { exposeDefaultValues: false });
    if (metadata.type === 'body') removeNulls(instance);
    const errors = await validate(instance, {
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      stopAtFirstError: true,
    });
    if (errors.length > 0)
      throw toInvalidRequestProblem([...flattenErrors(errors, metadata.type === 'query' ? '?' : '/')]);
    return instance;
  }
}

const fieldsWithoutNull = new WeakMap<Constructor, ReadonlySet<string>>();

/** Whether the value is an instance of a request class, not a map or a list. */
function isRequest(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

/** Removes null from fields that it cannot clear, also in nested requests, because null means that they are absent. */
function removeNulls(request: object): void {
  const type = (Object.getPrototypeOf(request) as object).constructor as Constructor;
  const fields = fieldsWithoutNull.get(type) ?? new Set(listFieldsWithoutNull(type));
  fieldsWithoutNull.set(type, fields);
  for (const [name, value] of Object.entries(request) as [string, unknown][]) {
    if (value === null && fields.has(name)) Reflect.deleteProperty(request, name);
    else if (isRequest(value)) removeNulls(value);
    else if (Array.isArray(value)) for (const item of value) if (isRequest(item)) removeNulls(item);
  }
}

/**
 * Rejects in a query string what the strict parser rejects in bodies. Validation by name treats inherited names as
 * known, and PostgreSQL rejects NUL. Lone surrogates cannot occur in a query string.
 */
function requireStorableQuery(query: object): void {
  const problems = Object.entries(query).flatMap(([name, value]): ProblemItem[] => {
    const path = `?${shortenText(name)}`;
    if (name in Object.prototype)
      return [{ path, code: 'unknown_parameter', message: `"${name}" is not supported here. Remove it.` }];
    if (![value].flat().some((text) => String(text).includes('\0'))) return [];
    return [{ path, code: 'forbidden_character', message: `Remove NUL characters (%00) from "${shortenText(name)}".` }];
  });
  if (problems.length > 0) throw invalidRequest(problems);
}

interface ValidationFault {
  error: ValidationError;
  path: string;
  constraint: string;
  message: string;
}

/** Only reported faults get a message, because searching for the nearest known name is slow. */
function toInvalidRequestProblem(faults: ValidationFault[]): Problem {
  const refusal = invalidRequest(faults.slice(0, MAX_LISTED_FAULTS).map(toProblemItem));
  refusal.extras.faults = faults.length;
  return refusal;
}

function* flattenErrors(errors: ValidationError[], prefix: string): Generator<ValidationFault> {
  for (const error of errors) {
    const path = prefix + toPointerPart(error.property);
    for (const [constraint, message] of Object.entries(error.constraints ?? {}))
      yield { error, path, constraint, message };
    yield* flattenErrors(error.children ?? [], `${path}/`);
  }
}

function toProblemItem({ error, path, constraint, message }: ValidationFault): ProblemItem {
  if (constraint !== 'whitelistValidation') {
    const isAbsent = error.value === undefined;
    return {
      path,
      code: isAbsent ? 'required' : (CODES_BY_CONSTRAINT[constraint] ?? 'invalid_value'),
      message: isAbsent ? `"${error.property}" is required: ${message}.` : `${message}.`,
    };
  }
  const known = error.property.length > MAX_COMPARED_LENGTH ? [] : listPropertyNames(error.target);
  const nearest = known.length > 0 ? closest(error.property, known) : undefined;
  const isNear = nearest !== undefined && distance(error.property, nearest) <= Math.max(2, nearest.length / 3);
  const advice = isNear ? ` The closest known name is "${nearest}".` : ' Leave it out.';
  return {
    path,
    code: path.startsWith('?') ? 'unknown_parameter' : 'unknown_field',
    message: `"${shortenText(error.property)}" is not supported here.${advice}`,
  };
}

function listPropertyNames(target: object | undefined): string[] {
  if (!target) return [];
  const metadata = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', true, false);
  return [...new Set(metadata.map((entry) => entry.propertyName))];
}
