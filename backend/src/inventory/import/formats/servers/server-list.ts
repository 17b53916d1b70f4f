import { type Findings, toPrintableName } from '../texts/findings.ts';
import type { InventoryFormat } from '../texts/inventory-format.ts';
import { type ImportedHost, MAX_HOSTS } from '../texts/inventory-text.ts';
import { readJsonTree } from '../texts/json-tree.ts';
import { ResultSize } from '../texts/result-size.ts';
import { readKnownFields } from './field-reader.ts';
import { readServer } from './server-reader.ts';
import { describeNodeKind, type TreeList, type TreeNode } from '../texts/text-tree.ts';

/** Runward's own format. */
export const SERVER_LIST = {
  name: 'json',
  label: 'List of servers, JSON',
  meaning:
    'Runward format: [{"name": "web-1", "hostname": "10.0.0.1"}], optionally with external IDs, tags and host keys.',
  expected: 'Send a list of servers, such as [{"name": "web-1", "hostname": "10.0.0.1"}].',
  fileName: { pattern: /\.json$/, decides: false },
  clues: [
    { certainty: 3, patterns: [/^\s*\[\s*(\{|\]\s*$)/] },
    { certainty: 2, patterns: [/^\s*\{/] },
  ],
  read: readServerList,
} as const satisfies InventoryFormat;

function readServerList(content: string, findings: Findings): ImportedHost[] {
  if (content.trim() === '') return [];
  const rules = {
    number: Number,
    repeated: (name: string, line: number) =>
      findings.recordFault(
        line,
        null,
        'duplicate_field',
        `The field "${toPrintableName(name)}" occurs twice in the same object.`,
      ),
  };
  const list = findServerList(readJsonTree(content, rules, findings), findings);
  if (list.items.length > MAX_HOSTS) {
    const message = `A text can have at most ${MAX_HOSTS} servers; this one has ${list.items.length}. Import it in several parts.`;
    findings.refuse(list.items[MAX_HOSTS]?.line ?? null, null, 'too_many_hosts', message);
  }
  const size = new ResultSize(findings);
  const seen = { name: new Map<string, number>(), externalId: new Map<string, number>() };
  const hosts: ImportedHost[] = [];
  for (const [index, item] of list.items.entries()) {
    const host = readServer(item, index + 1, findings);
    if (!host) continue;
    for (const field of ['name', 'externalId'] as const) {
      const value = host[field];
      if (value === undefined) continue;
      const first = seen[field].get(value);
      if (first === undefined) seen[field].set(value, index + 1);
      else {
        const message = `Servers ${first} and ${index + 1} of the list have the same ${field}, "${toPrintableName(value)}".`;
        findings.recordFault(host.line, value, 'duplicate_entry', message);
      }
    }
    size.add(host);
    hosts.push(host);
  }
  return hosts;
}

function findServerList(tree: TreeNode, findings: Findings): TreeList {
  if (tree.kind === 'list') return tree;
  const servers =
    tree.kind === 'map' ? readKnownFields(tree, ['servers'], null, findings).get('servers')?.value : undefined;
  if (servers?.kind === 'list') return servers;
  const found = servers
    ? `"servers" is ${describeNodeKind(servers)}`
    : `this text is ${describeNodeKind(tree)} without "servers"`;
  const message = `Send a list of servers, or {"servers": […]} with such a list; ${found}.`;
  return findings.refuse(servers?.line ?? tree.line, null, 'wrong_format', message);
}
