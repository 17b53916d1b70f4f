import { Composer, LineCounter, type ParsedNode, type YAMLError } from 'yaml';
import { readBoundedTokens, toYamlHint, type YamlRefusals } from '../../../../common/text/bounded-yaml.ts';
import type { Findings } from './findings.ts';
import { MAX_TREE_DEPTH, MAX_YAML_LINES, MAX_YAML_TOKENS } from './limits.ts';
import { requireLineLimits, toPlainText, splitLines } from './text-lines.ts';
import type { TreeNode } from './text-tree.ts';
import { YamlNodeReader } from './yaml-nodes.ts';

const YAML_LIMITS = { pieces: MAX_YAML_TOKENS, depth: MAX_TREE_DEPTH };

/** Reads YAML into a tree with line numbers, and rejects invalid YAML; null: the text is empty. */
export function readYamlTree(content: string, findings: Findings): TreeNode | null {
  const text = toPlainText(content, findings);
  const written = splitLines(text);
  requireLineLimits(written, findings);
  if (written.length > MAX_YAML_LINES) refuseSize(findings);
  const lines = new LineCounter();
  // Scalars stay text here. The tree resolves them as PyYAML does, from which the library's schemas differ.
  const composer = new Composer({ schema: 'failsafe', version: '1.1', uniqueKeys: false, prettyErrors: false });
  let contents: ParsedNode | null = null;
  let documents = 0;
  const lineOf = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const refuse: YamlRefusals = {
    syntax: (offset, code) => refuseSyntax(lineOf(offset), code, findings),
    size: () => refuseSize(findings),
    depth: (offset) => refuseDepth(lines.linePos(offset).line, findings),
  };
  for (const document of composer.compose(readBoundedTokens(text, lines, YAML_LIMITS, refuse), false, text.length)) {
    const [error] = document.errors;
    if (error) refuseSyntax(lineOf(error.pos[0]), error.code, findings);
    documents += 1;
    if (documents > 1) {
      const message = 'The text contains several YAML documents, separated by "---". Import each one separately.';
      findings.refuse(
        document.contents ? lineOf(document.contents.range[0]) : null,
        null,
        'several_documents',
        message,
      );
    }
    contents = document.contents;
  }
  return contents && new YamlNodeReader(lineOf, findings).readNode(contents);
}

function refuseSyntax(line: number, code: YAMLError['code'], findings: Findings): never {
  return findings.refuse(Math.max(1, line), null, 'invalid_yaml', toYamlHint(code));
}

function refuseSize(findings: Findings): never {
  const message = 'The YAML text is too long. Import it in several parts, or as JSON.';
  return findings.refuse(null, null, 'too_large', message);
}

function refuseDepth(line: number, findings: Findings): never {
  return findings.refuse(line, null, 'too_deep', `Nest maps and lists at most ${MAX_TREE_DEPTH} levels deep.`);
}
