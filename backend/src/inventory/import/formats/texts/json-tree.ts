import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { type Findings, toPrintableName } from './findings.ts';
import { MAX_TREE_DEPTH, MAX_TREE_NODES } from './limits.ts';
import { toPlainText } from './text-lines.ts';
import type { TreeField, TreeNode } from './text-tree.ts';

export interface JsonReadingRules {
  readonly number: (source: string) => number | string;
  /** Called for a repeated field of an object; the last value wins. */
  readonly repeated: (name: string, line: number) => void;
}

const SYNTAX_HINTS: Partial<Record<string, string>> = {
  InvalidSymbol: 'This is not a JSON value; texts need double quotes.',
  InvalidNumberFormat: 'This is not a JSON number.',
  PropertyNameExpected: 'Put a field name in double quotes here, or remove the comma before it.',
  ValueExpected: 'Put a value here, or remove the comma before it.',
  ColonExpected: 'Put a colon between the field name and its value.',
  CommaExpected: 'Put a comma between the values.',
  CloseBraceExpected: 'Close the object with "}".',
  CloseBracketExpected: 'Close the list with "]".',
  EndOfFileExpected: 'Remove everything after the first JSON value.',
  InvalidCommentToken: 'Remove the comment; JSON does not allow comments.',
  UnexpectedEndOfString: 'Close the text with a double quote; write line breaks in it as \\n.',
  UnexpectedEndOfNumber: 'Complete the number.',
  InvalidUnicode: 'Write \\u with four hexadecimal digits.',
  InvalidEscapeCharacter: 'Use only the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX.',
  InvalidCharacter: 'Write control characters in texts as \\u escapes.',
};

interface OpenContainer {
  readonly add: (value: TreeNode) => void;
}

export function readJsonTree(content: string, rules: JsonReadingRules, findings: Findings): TreeNode {
  const text = toPlainText(content, findings);
  const open: OpenContainer[] = [];
  let root: TreeNode | undefined;
  let field = { name: '', line: 0 };
  let nodes = 0;

  const place = (node: TreeNode) => {
    nodes += 1;
    if (nodes > MAX_TREE_NODES) {
      findings.refuse(node.line, null, 'too_large', 'The text has too many values. Import it in several parts.');
    }
    const inner = open.at(-1);
    if (inner) inner.add(node);
    else root = node;
  };
  const enter = (line: number, add: OpenContainer['add']) => {
    open.push({ add });
    // The parser recurses once per level, so this also limits its stack.
    if (open.length <= MAX_TREE_DEPTH) return;
    findings.refuse(line, null, 'too_deep', `Nest objects and lists at most ${MAX_TREE_DEPTH} levels deep.`);
  };

  visit(
    text,
    {
      onObjectBegin: (_offset, _length, line) => {
        const fields = new Map<string, TreeField>();
        place({ kind: 'map', line: line + 1, fields });
        enter(line + 1, (value) => {
          if (fields.has(field.name)) rules.repeated(field.name, field.line);
          fields.set(field.name, { line: field.line, value });
        });
      },
      onObjectProperty: (name, _offset, _length, line) => {
        field = { name, line: line + 1 };
      },
      onObjectEnd: () => void open.pop(),
      onArrayBegin: (_offset, _length, line) => {
        const items: TreeNode[] = [];
        place({ kind: 'list', line: line + 1, items });
        enter(line + 1, (value) => items.push(value));
      },
      onArrayEnd: () => void open.pop(),
      onLiteralValue: (value: string | number | boolean | null, offset, length, line) => {
        const read = typeof value === 'number' ? rules.number(text.slice(offset, offset + length)) : value;
        if (typeof read === 'string' && read.includes('\0')) refuseNul(line + 1, findings);
        place({ kind: 'scalar', line: line + 1, value: read });
      },
      onError: (error, _offset, _length, line, column) => {
        findings.refuse(line + 1, null, 'invalid_json', `${getSyntaxHint(error)} (column ${column + 1})`);
      },
    },
    { disallowComments: true },
  );
  return root ?? findings.refuse(null, null, 'invalid_json', 'The text contains no JSON value.');
}

function getSyntaxHint(error: ParseErrorCode): string {
  return SYNTAX_HINTS[printParseErrorCode(error)] ?? 'This is not valid JSON.';
}

function refuseNul(line: number, findings: Findings): never {
  return findings.refuse(line, null, 'forbidden_character', 'The text contains a NUL character (\\u0000). Remove it.');
}

/** Reports repeated names in YAML or JSON. As in Ansible, the last value wins. */
export function createRepeatedNameRule(findings: Findings): JsonReadingRules['repeated'] {
  return (name, line) => {
    const reason = 'The name occurs twice in the same place. As in Ansible, only the last one is used.';
    findings.leaveOut(line, null, toPrintableName(name), reason);
  };
}
