/**
 * Used part of the output of EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON). This file imports nothing, because benchmarks
 * load it directly.
 */

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

export interface ReadOf {
  /** Number of rows read from large tables, including rows that filters removed. */
  rows: number;
  /** Number of rows in the largest sort. */
  sorted: number;
  /** Number of 8 KiB blocks. */
  blocks: number;
  /** Large tables that were scanned completely. */
  whole: string[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const times = (node: PlanNode, rows: number | undefined): number => (rows ?? 0) * (node['Actual Loops'] ?? 1);

/** @param isLarge whether a table or partition grows with history */
export function readOf(plan: PlanNode, isLarge: (table: string) => boolean): ReadOf {
  const nodes = nodesOf(plan);
  const scans = nodes.filter((node) => isLarge(node['Relation Name'] ?? ''));
  const sum = (node: PlanNode) =>
    times(node, node['Actual Rows']) +
    times(node, node['Rows Removed by Filter']) +
    times(node, node['Rows Removed by Index Recheck']);
  const sorts = nodes.filter((node) => /Sort/.test(node['Node Type'])).flatMap((node) => node.Plans ?? []);
  return {
    rows: scans.reduce((rows, node) => rows + sum(node), 0),
    sorted: Math.max(0, ...sorts.map((node) => times(node, node['Actual Rows']))),
    blocks: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
    whole: scans
      .filter((node) => /^(Parallel )?Seq Scan/.test(node['Node Type']))
      .map((node) => node['Relation Name'] ?? ''),
  };
}
