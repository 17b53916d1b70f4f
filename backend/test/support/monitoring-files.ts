import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../../..');

interface AlertRule {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}

/** Returns the metric names of a PromQL expression: identifiers that are neither functions, labels nor keywords. */
export function listMetricsOfPromql(expression: string): string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = bare.match(/(?<![\w.])[A-Za-z_:][\w:]*(?!\s*\(|[\w:])/g) ?? [];
  return [...new Set(names.filter((name) => !/^(?:and|or|unless|bool|offset|by|without)$/.test(name)))];
}

/** Returns the metrics that a scrape declares, with the names of their series. */
function listMetricsOfScrape(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name);
    if (type === 'histogram') for (const suffix of ['bucket', 'sum', 'count']) names.add(`${name}_${suffix}`);
  }
  return names;
}

const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

/** Compares dashboard and alert rules with a scrape, and the rules with their runbooks. @returns one line per fault */
export async function findFaultsOfMonitoring(scrape: string): Promise<string[]> {
  const known = listMetricsOfScrape(scrape);
  const [rulesText, dashboardText, runbooks] = await Promise.all(
    ['deploy/prometheus/runward.rules.yml', 'deploy/grafana/runward.json', 'docs/runbooks.md'].map(read),
  );
  const { groups } = parse(rulesText ?? '') as { groups: { rules: AlertRule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  const { panels } = JSON.parse(dashboardText ?? '') as { panels: { title: string; targets: { expr: string }[] }[] };
  const expressions = [
    ...rules.map(({ alert, expr }) => ({ of: alert, expr })),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr }))),
  ];
  const anchors = new Set(
    [...(runbooks ?? '').matchAll(/^## (.+)$/gm)].map(([, title = '']) => `docs/runbooks.md#${title.toLowerCase()}`),
  );
  return [
    ...expressions.flatMap(({ of, expr }) => {
      const names = listMetricsOfPromql(expr);
      if (names.length === 0) return [`${of} names no metric.`];
      return names.filter((name) => !known.has(name)).map((name) => `${of}: ${name} is not in the scrape.`);
    }),
    ...rules
      .filter(({ annotations }) => !anchors.has(annotations.runbook))
      .map(({ alert }) => `${alert}: the runbook does not exist.`),
    ...(rules.length < 12 ? [`There are ${rules.length} rules.`] : []),
  ];
}
