import { Paper } from '@mantine/core';
import type { Line } from '../src/features/executions/output/lines/line';
import { OutputLine } from '../src/features/executions/output/lines/OutputLine';

const LINE: Line = {
  ...{ stepKey: 'fetch', serverId: 'v', serverName: 'web-1', stream: 'stdout', number: 7 },
  ...{ text: 'Unpacking shop-2026.11.tar.gz', at: '2026-03-14T02:00:00Z' },
};
const ESC = '\u001b';
const LINES: { line: Line; marked?: boolean; searchTerm?: string; origin?: string }[] = [
  { line: LINE },
  { line: { ...LINE, number: 8, stream: 'stderr', text: 'disk full' } },
  { line: { ...LINE, number: 9, text: `${ESC}[32mok${ESC}[0m ${ESC}[31mfailed${ESC}[0m ${ESC}[1mbold${ESC}[0m` } },
  { line: { ...LINE, number: 10 }, marked: true },
  { line: { ...LINE, number: 11 }, searchTerm: 'shop' },
  { line: { ...LINE, number: 12 }, origin: 'web-1 · Fetch' },
];

export const LogLines = () => (
  <Paper p="sm">
    {LINES.map(({ line, marked = false, searchTerm = '', origin = null }) => (
      <OutputLine
        key={line.number}
        {...{ line, marked, searchTerm, origin }}
        raw={false}
        timeOf={({ at }) => at}
        onSelectLine={() => undefined}
      />
    ))}
  </Paper>
);
