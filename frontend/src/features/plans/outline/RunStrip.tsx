import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { latestExecutionsQuery } from '../../../api/queries/runs/executions';
import { PlainLink } from '../../../ui/page/links';
import { statusStyle } from '../../../ui/status/statuses';
import { barHeights, describeRun, describeRuns } from './run-strip';
import classes from './outline.module.css';

const SHOWN = 30;
const LEAST_PERCENT = 14;
const REFRESH_MS = 10_000;

/** Results and durations of the latest runs of a plan, as bars. Each is a link to its run. */
export function RunStrip({ planId }: { planId: string }) {
  const { data } = useQuery({
    ...latestExecutionsQuery({ planId }, SHOWN),
    staleTime: 15_000,
    // Refetches only while a run is unfinished, because finished runs do not change.
    refetchInterval: ({ state }) => (state.data?.items.some(({ finished }) => !finished) ? REFRESH_MS : false),
  });
  const runs = data?.items ?? [];
  const heights = barHeights(runs, LEAST_PERCENT);
  return (
    <section aria-label="History" className={classes.strip}>
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {runs.length === 0
            ? data && 'No runs yet. Results and durations appear here.'
            : `${runs.length === 1 ? 'Latest run' : `Latest ${runs.length} runs`}: ${describeRuns(runs)}`}
        </Text>
        {runs.length > 0 && (
          <Text size="xs" c="dimmed" visibleFrom="sm" aria-hidden>
            older to newer, height is duration
          </Text>
        )}
      </Group>
      {/* Newest first, drawn from the right: a narrow screen shows the newest, and scrolls to the oldest. */}
      <ol className={classes.bars}>
        {runs.map((run, index) => (
          <li key={run.id} className={classes.slot}>
            <PlainLink
              to="/executions/$id"
              params={{ id: run.id }}
              search={{}}
              aria-label={describeRun(run)}
              title={describeRun(run)}
              className={classes.bar}
            >
              <Bar
                height={heights[index] ?? 0}
                tone={statusStyle(run.status).tone}
                dry={run.execution_mode === 'dry_run'}
              />
            </PlainLink>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** An SVG has its height as an attribute, which a style would need inline. */
const Bar = ({ height, tone, dry }: { height: number; tone: string; dry: boolean }) => (
  <svg viewBox="0 0 10 100" preserveAspectRatio="none" className={classes.drawing} aria-hidden>
    <rect x="0" y={100 - height} width="10" height={height} className={classes[tone]} opacity={dry ? 0.4 : 1} />
  </svg>
);
