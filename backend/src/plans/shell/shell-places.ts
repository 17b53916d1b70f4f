/**
 * Position of a value in a shell command. A quoted value is safe only in a `word`. Inside quotes, here-documents or
 * comments, its own quotes lose their meaning, and the value could become code.
 */
export type ShellPosition =
  | 'word'
  | 'single_quotes'
  | 'double_quotes'
  | 'here_document'
  | 'comment'
  | 'backticks'
  | 'expansion'
  | 'arithmetic'
  | 'after_backslash'
  | 'after_dollar'
  | 'unclear';

export interface Insertion {
  readonly content: string;
  readonly place: ShellPosition;
  readonly line: number;
}

/** Marks start and end of an inserted value. Neither commands nor values may contain it. */
export const INSERTION_MARK = '\0';

interface ShellFrame {
  readonly kind: 'commands' | 'array' | 'double_quotes' | 'expansion' | 'arithmetic';
  /** Whether a `$` started the frame, so that it is part of a word. */
  readonly inWord: boolean;
  /** Number of open parentheses; only for arithmetic. */
  depth: number;
}

interface HereDocument {
  readonly end: string;
  readonly stripTabs: boolean;
  readonly quoted: boolean;
  readonly level: number;
}

/** Finds the position of every insertion in a POSIX shell command. A position that is not certain is `unclear`. */
export function locateInsertions(command: string): Insertion[] {
  return new ShellReader(command).read();
}

class ShellReader {
  private readonly insertions: Insertion[] = [];
  private readonly frames: ShellFrame[] = [{ kind: 'commands', inWord: false, depth: 0 }];
  private hereDocuments: HereDocument[] = [];
  /** Highest frame level of the open here-documents. Stored, so that scanning takes linear time. */
  private deepestDocument = 0;
  private openQuotes = 0;
  private at = 0;
  /** Content of the current line from `lineFrom`, without line breaks of inserted values. */
  private line = 1;
  private lineFrom = 0;
  private wordStart = true;
  private readonly text: string;
  /** True once the quoting is uncertain; then it stays true for the rest of the command. */
  private lost = false;

  constructor(text: string) {
    this.text = text;
  }

  read(): Insertion[] {
    while (this.at < this.text.length) {
      const frame = this.currentFrame();
      if (frame.kind === 'commands' || frame.kind === 'array') this.readCommands(frame);
      else if (frame.kind === 'double_quotes') this.readDoubleQuotes();
      else if (frame.kind === 'expansion') this.readExpansion();
      else this.readArithmetic(frame);
    }
    return this.insertions;
  }

  private readCommands(frame: ShellFrame): void {
    const start = this.wordStart;
    const character = this.text.charAt(this.at);
    // A line continuation does not end the start of a word.
    this.wordStart = start && this.text.startsWith('\\\n', this.at);
    const inArray = frame.kind === 'array';
    if (this.readCommon(inArray ? 'unclear' : 'word')) return;
    // After an operator in an array, bash continues at the next line. That line may belong to a value.
    if (inArray && /[;&|<>(]/.test(character)) this.lost = true;
    if (character === "'") return this.skipTo("'", 'single_quotes');
    if (character === '\n') {
      this.advance(1);
      this.wordStart = true;
      return this.readHereDocuments();
    }
    if (character === '#' && start) return this.skipLine('comment');
    if (this.text.startsWith('<<', this.at)) return this.openHereDocument();
    if (start && this.text.startsWith('((', this.at)) return this.pushFrame('arithmetic', 2, false, 2);
    if (character === '(') {
      this.wordStart = true;
      return this.pushFrame(this.text.charAt(this.at - 1) === '=' ? 'array' : 'commands', 1, false);
    }
    if (character === ')') return this.closeCommands(frame);
    // In a substitution, the `)` of a case pattern looks like the end of the substitution. Only a full parser could
    // tell.
    if (start && this.frames.length > 1 && /^case[\s\0]/.test(this.text.slice(this.at, this.at + 5))) this.lost = true;
    this.wordStart = /[ \t;&|<>]/.test(character);
    this.advance(1);
  }

  private closeCommands(frame: ShellFrame): void {
    this.advance(1);
    const isNested = this.frames.length > 1;
    if (isNested) this.frames.pop();
    this.wordStart = !(isNested && frame.inWord);
    if (this.deepestDocument > this.frames.length) this.lost = true;
  }

  private readDoubleQuotes(): void {
    if (this.text.charAt(this.at) === '"') return this.popFrame();
    if (!this.readCommon('double_quotes')) this.advance(1);
  }

  private readExpansion(): void {
    if (this.text.charAt(this.at) === '}') return this.popFrame();
    if (this.readCommon('expansion')) return;
    if (this.text.charAt(this.at) !== "'") return this.advance(1);
    // Shells disagree about a single quote in an expansion within double quotes.
    if (this.openQuotes > 0) this.lost = true;
    this.skipTo("'", 'single_quotes');
  }

  private readArithmetic(frame: ShellFrame): void {
    if (this.readCommon('arithmetic')) return;
    const character = this.text.charAt(this.at);
    if (character === '(') frame.depth++;
    if (character === ')') frame.depth--;
    if (character === "'") this.lost = true;
    if (frame.depth === 0) return this.popFrame();
    this.advance(1);
  }

  /** Reads syntax that is the same in every frame. Returns false if the character is not such syntax. */
  private readCommon(place: ShellPosition): boolean {
    const character = this.text.charAt(this.at);
    if (character === INSERTION_MARK) this.addInsertion(place);
    else if (character === '\\') this.readEscape(place);
    else if (character === '"') this.pushFrame('double_quotes', 1, true);
    else if (character === '`') this.skipTo('`', 'backticks', true);
    else if (character === '$') this.readDollar(place);
    else return false;
    return true;
  }

  private readEscape(place: ShellPosition): void {
    const next = this.text.charAt(this.at + 1);
    // A line continuation may join two halves, such as `$` and `(`, to other syntax.
    const joins = /[^ \t\n]/.test(this.text.charAt(this.at - 1)) && /[^ \t\n]/.test(this.text.charAt(this.at + 2));
    if (next === '\n' && joins) this.lost = true;
    if (next !== INSERTION_MARK) return this.advance(2);
    this.advance(1);
    this.addInsertion(place === 'word' ? 'after_backslash' : place);
  }

  private readDollar(place: ShellPosition): void {
    const next = this.text.charAt(this.at + 1);
    if (this.text.startsWith('$((', this.at)) return this.pushFrame('arithmetic', 3, true, 2);
    if (next === '(') {
      this.wordStart = true;
      return this.pushFrame('commands', 2, true);
    }
    if (next === '{') return this.pushFrame('expansion', 2, true);
    if (next === '[') this.lost = true;
    if (next === "'" && (place === 'word' || place === 'unclear')) return this.readAnsiQuotes();
    if (next === "'" && place === 'expansion') this.lost = true;
    this.advance(next === '$' ? 2 : 1);
    if (next === INSERTION_MARK) this.addInsertion(place === 'word' ? 'after_dollar' : place);
  }

  /** Within $'…', bash reads `\'` as a quote, but other shells read it as the end. */
  private readAnsiQuotes(): void {
    const begin = this.at + 1;
    this.advance(1);
    this.skipTo("'", 'single_quotes');
    if (this.text.slice(begin, this.at).includes('\\')) this.lost = true;
  }

  private openHereDocument(): void {
    if (this.text.startsWith('<<<', this.at)) return this.advance(3);
    this.advance(2);
    const stripTabs = this.text.charAt(this.at) === '-';
    if (stripTabs) this.advance(1);
    const [, blank = '', word = ''] = /^([ \t]*)([^\s;&|<>()]*)/.exec(this.text.slice(this.at)) ?? [];
    if (word === '' || /[$`\0]/.test(word)) this.lost = true;
    if (word.includes(INSERTION_MARK)) return;
    const end = word.replace(/['"\\]/g, '');
    this.hereDocuments.push({ end, stripTabs, quoted: end !== word, level: this.frames.length });
    this.deepestDocument = Math.max(this.deepestDocument, this.frames.length);
    // A quoted delimiter may contain a blank, at which this word was cut.
    if ((word.match(/['"]/g)?.length ?? 0) % 2 === 1) this.lost = true;
    this.advance(blank.length + word.length);
  }

  private readHereDocuments(): void {
    const waiting = this.hereDocuments;
    this.hereDocuments = [];
    this.deepestDocument = 0;
    for (const document of waiting) {
      if (document.level !== this.frames.length) this.lost = true;
      let joined = false;
      while (this.at < this.text.length) {
        const begin = this.at;
        this.skipLine('here_document');
        const line = this.text.slice(begin, this.at);
        this.advance(1);
        if (!joined && (document.stripTabs ? line.replace(/^\t+/, '') : line) === document.end) break;
        joined = !document.quoted && countBackslashesAtEnd(line) % 2 === 1;
      }
    }
  }

  private addInsertion(place: ShellPosition): void {
    const end = this.text.indexOf(INSERTION_MARK, this.at + 1);
    const content = this.text.slice(this.at + 1, end < 0 ? undefined : end);
    this.insertions.push({ content, place: this.lost ? 'unclear' : place, line: this.currentLine() });
    this.at = end < 0 ? this.text.length : end + 1;
    this.lineFrom = this.at;
  }

  private skipTo(mark: string, place: ShellPosition, escapes = false): void {
    this.advance(1);
    while (this.at < this.text.length && this.text.charAt(this.at) !== mark) {
      if (this.text.charAt(this.at) === INSERTION_MARK) this.addInsertion(place);
      else if (escapes && this.text.charAt(this.at) === '\\' && this.text.charAt(this.at + 1) !== INSERTION_MARK)
        this.advance(2);
      else this.advance(1);
    }
    this.advance(1);
  }

  private skipLine(place: ShellPosition): void {
    while (this.at < this.text.length && this.text.charAt(this.at) !== '\n') {
      if (this.text.charAt(this.at) === INSERTION_MARK) this.addInsertion(place);
      else this.advance(1);
    }
  }

  private currentFrame(): ShellFrame {
    return this.frames.at(-1) as ShellFrame;
  }

  private pushFrame(kind: ShellFrame['kind'], length: number, inWord: boolean, depth = 0): void {
    this.advance(length);
    this.frames.push({ kind, inWord, depth });
    if (kind === 'double_quotes') this.openQuotes += 1;
  }

  private popFrame(): void {
    this.advance(1);
    if (this.frames.pop()?.kind === 'double_quotes') this.openQuotes -= 1;
    this.wordStart = false;
  }

  private advance(count: number): void {
    this.at = Math.min(this.at + count, this.text.length);
  }

  private currentLine(): number {
    for (let next = this.text.indexOf('\n', this.lineFrom); next >= 0 && next < this.at; ) {
      this.line += 1;
      next = this.text.indexOf('\n', next + 1);
    }
    return this.line;
  }
}

/** Counts from the end, because a regular expression would take quadratic time. */
function countBackslashesAtEnd(line: string): number {
  let count = 0;
  while (count < line.length && line.charAt(line.length - 1 - count) === '\\') count += 1;
  return count;
}
