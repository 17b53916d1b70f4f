import { Composer, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, type ParsedNode, type Scalar } from 'yaml';
import { readBoundedTokens, toYamlHint, type YamlRefusals } from '../../common/text/bounded-yaml.ts';
import {
  MAX_FAULTS,
  MAX_NESTING,
  MAX_TEXT_LINES,
  MAX_YAML_TOKENS,
  MAX_PLAN_TEXT_LENGTH,
  MAX_YAML_VALUES,
} from './bounds.ts';
import {
  NAME_OF_PREFIX,
  type TextPlace,
  type ReadText,
  type ReadingMode,
  type TextFault,
  type TextFaultCode,
  type YamlTree,
} from './plan-text.ts';

type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** Stops reading; its fault is already recorded. */
class ReadingStoppedError extends Error {}

const START_PLACE: TextPlace = { line: 1, column: 1, endLine: 1, endColumn: 1 };
const INHERITED_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
const MAX_QUOTE_LENGTH = 100;

/** Reads one document of YAML or JSON into a tree with positions. Never throws because of the text's content. */
export function readYaml(content: string, reading: ReadingMode): ReadText {
  const reader = new YamlReader(content.startsWith('\uFEFF') ? content.slice(1) : content, reading);
  try {
    const value = reader.readTree();
    if (reader.faults.length === 0) return { value, places: reader.places, comments: reader.comments, faults: [] };
  } catch (error) {
    // The YAML library itself failed. Its message is not used, because it could contain a secret.
    if (!(error instanceof ReadingStoppedError))
      reader.addFault(START_PLACE, '', 'invalid_yaml', 'The text cannot be read as YAML.');
  }
  return { value: null, places: {}, comments: false, faults: reader.faults };
}

class YamlReader {
  readonly faults: TextFault[] = [];
  comments = false;
  readonly places: Record<string, TextPlace> = {};
  readonly #text: string;
  readonly #reading: ReadingMode;
  readonly #lines = new LineCounter();
  #values = 0;

  constructor(text: string, reading: ReadingMode) {
    this.#text = text;
    this.#reading = reading;
  }

  readTree(): YamlTree {
    this.#boundText();
    const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false });
    const at = (offset: number) => this.#placeOf(offset, offset + 1);
    const refuse: YamlRefusals = {
      syntax: (offset, code) => this.#refuse(at(offset), '', 'invalid_yaml', toYamlHint(code)),
      size: () => this.#refuse(START_PLACE, '', 'too_large', 'The text has too many names and values. Split it.'),
      depth: (offset) => this.#refuseDepth(at(offset), ''),
    };
    let contents: ParsedNode | null = null;
    let documents = 0;
    const tokens = readBoundedTokens(this.#text, this.#lines, { pieces: MAX_YAML_TOKENS, depth: MAX_NESTING }, refuse);
    for (const document of composer.compose(tokens, false, this.#text.length)) {
      const [error] = document.errors;
      if (error) refuse.syntax(error.pos[0], error.code);
      documents += 1;
      if (documents > 1) {
        const place = document.contents ? this.#place(document.contents) : START_PLACE;
        const message = 'The text contains several YAML documents, separated by "---". Send them separately.';
        this.#refuse(place, '', 'several_documents', message);
      }
      contents = document.contents;
      if (document.comment || document.commentBefore) this.comments = true;
    }
    return contents ? this.#tree(contents, '', 0) : null;
  }

  addFault(place: TextPlace, path: string, code: TextFaultCode, message: string): void {
    this.faults.push({ code, message, path, place });
    if (this.faults.length >= MAX_FAULTS) throw new ReadingStoppedError();
  }

  #refuse(place: TextPlace, path: string, code: TextFaultCode, message: string): never {
    this.addFault(place, path, code, message);
    throw new ReadingStoppedError();
  }

  #refuseDepth(place: TextPlace, path: string): never {
    return this.#refuse(place, path, 'too_deep', `Nest maps and lists at most ${MAX_NESTING} levels deep.`);
  }

  #boundText(): void {
    if (this.#text.length > MAX_PLAN_TEXT_LENGTH)
      this.#refuse(START_PLACE, '', 'too_large', `A text can have at most ${MAX_PLAN_TEXT_LENGTH} characters.`);
    let lines = 0;
    for (let at = this.#text.indexOf('\n'); at >= 0; at = this.#text.indexOf('\n', at + 1)) lines += 1;
    if (lines > MAX_TEXT_LINES)
      this.#refuse(START_PLACE, '', 'too_large', `A text can have at most ${MAX_TEXT_LINES} lines.`);
    const nul = this.#text.indexOf('\0');
    if (nul < 0) return;
    const line = this.#text.slice(0, nul).split('\n').length;
    const place = { line, column: 1, endLine: line, endColumn: 1 };
    this.#refuse(place, '', 'forbidden_character', 'The text contains a NUL character. Send a text in UTF-8.');
  }

  #tree(node: ParsedNode, path: string, depth: number): YamlTree {
    const place = this.#place(node);
    this.places[path] = place;
    if (node.comment || node.commentBefore) this.comments = true;
    this.#values += 1;
    if (this.#values > MAX_YAML_VALUES)
      this.#refuse(place, path, 'too_many_values', `A text can have at most ${MAX_YAML_VALUES} values.`);
    if (depth > MAX_NESTING) this.#refuseDepth(place, path);
    if (isAlias(node)) {
      const message =
        'Aliases (*name) are not supported. Write the value itself, or put a text that begins with * in quotes.';
      return this.#refuse(place, path, 'yaml_alias', message);
    }
    if (node.tag !== undefined) {
      const message = 'Tags (!name) are not supported. Remove it, or put a text that begins with ! in quotes.';
      this.addFault(place, path, 'yaml_tag', message);
      return null;
    }
    if (isSeq(node)) return node.items.map((item, index) => this.#tree(item, `${path}/${index}`, depth + 1));
    if (isMap(node)) return this.#map(node.items, path, depth);
    return isScalar(node) ? this.#scalar(node, place, path) : null;
  }

  #map(pairs: readonly ParsedPair[], path: string, depth: number): YamlTree {
    const fields: { [name: string]: YamlTree } = {};
    for (const { key, value } of pairs) {
      const place = this.#place(key);
      if (key.comment || key.commentBefore) this.comments = true;
      if (!isScalar(key) || key.tag !== undefined) {
        this.addFault(place, path, 'invalid_yaml', 'A name must be a plain text. Put {{ … }} in quotes.');
        continue;
      }
      const name = typeof key.value === 'string' ? key.value : (key.source ?? '');
      const inner = `${path}/${toPointerPart(name)}`;
      this.places[NAME_OF_PREFIX + inner] = place;
      if (INHERITED_NAMES.has(name))
        this.addFault(place, inner, 'forbidden_field', `"${name}" cannot be the name of a field.`);
      else if (Object.hasOwn(fields, name)) {
        const message = `"${shortenName(name)}" occurs in this map twice. Remove one.`;
        this.addFault(place, inner, 'duplicate_field', message);
      } else if (value) fields[name] = this.#tree(value, inner, depth + 1);
      else {
        this.places[inner] = place;
        fields[name] = null;
      }
    }
    return fields;
  }

  #scalar(node: Scalar, place: TextPlace, path: string): YamlTree {
    const { value, source = '' } = node;
    if (typeof value === 'string') {
      if (!/[\0\p{Surrogate}]/u.test(value)) return value;
      this.addFault(place, path, 'forbidden_character', 'The text contains NUL or an unpaired surrogate. Remove it.');
      return '';
    }
    if (typeof value === 'boolean' || value === null) return value;
    if (this.#reading === 'texts') return source;
    const number = Number(value);
    if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))) return number;
    this.addFault(place, path, 'number_out_of_range', 'This number cannot be stored exactly. Put a text in quotes.');
    return 0;
  }

  #place(node: ParsedNode): TextPlace {
    return this.#placeOf(node.range[0], node.range[1]);
  }

  #placeOf(from: number, to: number): TextPlace {
    const start = this.#lines.linePos(Math.min(from, this.#text.length));
    const end = this.#lines.linePos(Math.min(Math.max(to, from), this.#text.length));
    return { line: start.line || 1, column: start.col || 1, endLine: end.line || 1, endColumn: end.col || 1 };
  }
}

/** Returns the name as a segment of a JSON pointer. */
export const toPointerPart = (name: string): string => shortenName(name).replaceAll('~', '~0').replaceAll('/', '~1');

const shortenName = (text: string): string =>
  text.length <= MAX_QUOTE_LENGTH ? text : `${text.slice(0, MAX_QUOTE_LENGTH).replace(/\p{Surrogate}$/u, '')}…`;
