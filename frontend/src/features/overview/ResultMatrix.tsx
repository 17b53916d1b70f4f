import { Button, Paper, Skeleton, Switch, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { LatestResult, ResultMatrix as Matrix } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { SearchField } from '../../ui/forms/SearchField';
import { AnchorLink } from '../../ui/page/links';
import { StatusDot } from '../../ui/status/StatusBadge';
import { statusStyle, UNSUCCESSFUL } from '../../ui/status/statuses';
import classes from './overview.module.css';
import { Section } from './Section';

export interface MatrixFilter {
  q: string;
  failing: boolean;
}

interface Props {
  query: UseQueryResult<Matrix>;
  filter: MatrixFilter;
  onFilter: (change: Partial<MatrixFilter>) => void;
  /** Absent = the most plans are shown. */
  onMore?: () => void;
}

/** Latest result of each plan in each environment. Plans with open failures come first. */
export function ResultMatrix({ query, filter, onFilter, onMore }: Props) {
  const { data, error, refetch } = query;
  const isFiltered = filter.q !== '' || filter.failing;
  return (
    <Section
      title="Plans by environment"
      end={
        <div className={classes.health}>
          <Switch
            label="Only open failures"
            checked={filter.failing}
            onChange={(event) => onFilter({ failing: event.currentTarget.checked })}
          />
          <SearchField label="Find a plan" value={filter.q} onChange={(q) => onFilter({ q })} />
        </div>
      }
    >
      {error && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={280} />
      ) : data.plans.length === 0 ? (
        <Text c="dimmed">
          {filter.failing && filter.q === ''
            ? 'No open failures.'
            : isFiltered
              ? 'No plans match.'
              : 'No plans yet. The latest result of each plan appears here.'}
        </Text>
      ) : (
        <Paper className={classes.matrix} tabIndex={0} role="region" aria-label="Latest results">
          <table>
            <thead>
              <tr>
                <th scope="col">Plan</th>
                {data.environments.map(({ id, name }) => (
                  <th key={id} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.plans.map(({ id, name, results }) => (
                <tr key={id}>
                  <th scope="row">
                    <AnchorLink to="/plans/$id" params={{ id }} title={name} className={classes.name} display="block">
                      {name}
                    </AnchorLink>
                  </th>
                  {results.map((result, index) => (
                    <td key={data.environments[index]?.id}>
                      <Cell result={result} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Paper>
      )}
      {data && (data.more || data.moreEnvironments > 0) && (
        <Text component="div" mt="sm" c="dimmed">
          {data.more &&
            (onMore ? (
              <Button variant="default" mr="sm" onClick={onMore}>
                Show more plans
              </Button>
            ) : (
              'Search to find more plans. '
            ))}
          {data.moreEnvironments > 0 && `${plural(data.moreEnvironments, 'more environment')} without a column.`}
        </Text>
      )}
    </Section>
  );
}

function Cell({ result }: { result: LatestResult | null }) {
  if (result === null)
    return (
      <Text span c="dimmed" px={8} aria-label="Never run">
        –
      </Text>
    );
  const failed = UNSUCCESSFUL.includes(result.status);
  return (
    <AnchorLink
      to="/executions/$id"
      params={{ id: result.executionId }}
      className={`${classes.cell} ${failed ? classes.failedCell : ''}`}
    >
      <StatusDot status={result.status} />
      {failed && statusStyle(result.status).label}
      <span className={classes.small}>
        rev {result.planRevision} · <RelativeTime at={result.finishedAt ?? result.startedAt} />
      </span>
    </AnchorLink>
  );
}
