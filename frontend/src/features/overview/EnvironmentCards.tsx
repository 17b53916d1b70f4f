import { Button, Paper, Skeleton, Text } from '@mantine/core';
import {
  IconCalendarTime,
  IconCircleCheck,
  IconHelpCircle,
  IconLock,
  IconPlugConnectedX,
  IconShieldCheck,
  IconSnowflake,
} from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { EnvironmentOverview, LatestResult } from '../../api/types';
import { windowText } from '../../ui/environments/run-window';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { SearchField } from '../../ui/forms/SearchField';
import { AnchorLink } from '../../ui/page/links';
import { Badge } from '../../ui/status/Badge';
import { StatusDot } from '../../ui/status/StatusBadge';
import { DayBars } from './DayBars';
import { FIRST_CARDS } from './first-queries';
import { freezeText } from './freeze-text';
import classes from './overview.module.css';
import { Section } from './Section';
import { sumTrend } from './trend-figures';

export const MAX_CARDS = 24;

interface Props {
  query: UseQueryResult<{ items: EnvironmentOverview[]; total: number }>;
  search: string;
  onSearch: (text: string) => void;
  /** Absent = all possible cards are shown. */
  onMore?: () => void;
}

export function EnvironmentCards({ query, search, onSearch, onMore }: Props) {
  const { data, error, refetch } = query;
  const hidden = data ? data.total - data.items.length : 0;
  return (
    <Section
      title="Environments"
      note={data && data.total.toLocaleString('en')}
      end={
        (search !== '' || (data?.total ?? 0) > FIRST_CARDS) && (
          <SearchField label="Find an environment" value={search} onChange={onSearch} />
        )
      }
    >
      {error && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <div className={classes.cards} role="status" aria-label="Loading">
          {[0, 1, 2].map((index) => (
            <Skeleton key={index} height={280} />
          ))}
        </div>
      ) : data.items.length === 0 ? (
        <Text c="dimmed">{search === '' ? 'No environments yet.' : 'No environment has this text in its name.'}</Text>
      ) : (
        <div className={classes.cards}>
          {data.items.map((environment) => (
            <Card key={environment.id} environment={environment} />
          ))}
        </div>
      )}
      {hidden > 0 && (
        <Text component="div" mt="sm" c="dimmed">
          {onMore && (
            <Button variant="default" mr="sm" onClick={onMore}>
              Show more
            </Button>
          )}
          {plural(hidden, 'more environment')}.{' '}
          {!onMore && (
            <>
              Search by name, or open <AnchorLink to="/environments">all environments</AnchorLink>.
            </>
          )}
        </Text>
      )}
    </Section>
  );
}

function Card({ environment }: { environment: EnvironmentOverview }) {
  const { id, name, results, openFailures, schedules } = environment;
  return (
    <Paper component="section" className={classes.card} aria-label={`Environment ${name}`}>
      <div className={classes.cardHead}>
        <AnchorLink to="/environments/$id" params={{ id }} fw={620} className={classes.name} title={name}>
          {name}
        </AnchorLink>
        <StateBadges environment={environment} />
      </div>
      <Health environment={environment} />
      {results.length > 0 ? (
        <ul className={classes.results} aria-label={`Latest results in ${name}`}>
          {results.map((result) => (
            <Result key={result.executionId} result={result} />
          ))}
        </ul>
      ) : (
        <Text c="dimmed" className={classes.results}>
          No runs yet.
        </Text>
      )}
      <Trend environment={environment} />
      <div className={classes.cardFoot}>
        {openFailures > 0 && (
          <Text size="xs" className={classes.bad} fw={550}>
            {plural(openFailures, 'open failure')}
          </Text>
        )}
        {schedules.length === 0 ? (
          <Text size="xs" c="dimmed">
            No scheduled runs.
          </Text>
        ) : (
          schedules.map((schedule) => (
            <Text key={schedule.id} size="xs" component="div" className={classes.healthPart} w="100%">
              <IconCalendarTime size={14} aria-hidden className="rw-no-shrink" />
              <AnchorLink
                to="/schedules/$id"
                params={{ id: schedule.id }}
                search={{}}
                size="xs"
                className={classes.name}
                title={schedule.name}
              >
                {schedule.name}
              </AnchorLink>
              <span className={classes.small}>
                <RelativeTime at={schedule.nextAt} />
              </span>
            </Text>
          ))
        )}
      </div>
    </Paper>
  );
}

function StateBadges({
  environment: { access, protected: isProtected, runWindowState, freezes },
}: {
  environment: EnvironmentOverview;
}) {
  const closed = runWindowState !== null && !runWindowState.open;
  return (
    <>
      {isProtected && (
        <Badge tone="active" icon={IconShieldCheck}>
          Protected
        </Badge>
      )}
      {access === 'restricted' && (
        <Badge tone="idle" icon={IconLock}>
          Restricted
        </Badge>
      )}
      {closed && (
        <span title={windowText(runWindowState)}>
          <Badge tone="warn" icon={IconSnowflake}>
            {runWindowState.blackout === null ? 'Window closed' : 'Frozen'}
          </Badge>
        </span>
      )}
      {!closed && freezes.length > 0 && (
        <Badge tone="warn" icon={IconSnowflake}>
          {plural(freezes.length, 'freeze')}
        </Badge>
      )}
    </>
  );
}

function Health({ environment: { hosts, runWindowState, freezes } }: { environment: EnvironmentOverview }) {
  const { reachable, unreachable, unknown } = hosts;
  const all = reachable + unreachable + unknown;
  return (
    <div className={classes.health}>
      {all === 0 ? (
        <span className={classes.muted}>No hosts.</span>
      ) : (
        <>
          <span className={`${classes.healthPart} ${reachable === all ? classes.good : ''}`}>
            <IconCircleCheck size={14} aria-hidden />
            {reachable === all ? `${plural(all, 'host')}, all reachable` : `${reachable} of ${all} reachable`}
          </span>
          {unreachable > 0 && (
            <span className={`${classes.healthPart} ${classes.bad}`}>
              <IconPlugConnectedX size={14} aria-hidden />
              {unreachable} unreachable
            </span>
          )}
          {unknown > 0 && (
            <span className={`${classes.healthPart} ${classes.muted}`}>
              <IconHelpCircle size={14} aria-hidden />
              {unknown} unknown
            </span>
          )}
        </>
      )}
      {runWindowState && !runWindowState.open && <span className={classes.warn}>{windowText(runWindowState)}</span>}
      {freezes.map((freeze) => (
        <span key={freeze.collectionId} className={`${classes.frozen} ${classes.warn}`} title={freeze.reason}>
          {freezeText(freeze)}
        </span>
      ))}
    </div>
  );
}

function Result({ result }: { result: LatestResult }) {
  return (
    <li className={classes.result}>
      <StatusDot status={result.status} />
      <AnchorLink
        to="/executions/$id"
        params={{ id: result.executionId }}
        className={classes.name}
        title={result.planName}
      >
        {result.planName}
      </AnchorLink>
      <span className={classes.small}>rev {result.planRevision}</span>
      <span className={classes.small}>
        <RelativeTime at={result.finishedAt ?? result.startedAt} />
      </span>
    </li>
  );
}

function Trend({ environment: { id, trend } }: { environment: EnvironmentOverview }) {
  const { runs, percent } = sumTrend(trend);
  return (
    <div>
      <DayBars days={trend} />
      <AnchorLink to="/trends" search={{ environment: id }} size="xs">
        {runs === 0 ? 'No finished runs in 30 days' : `${percent} % of ${plural(runs, 'run')} succeeded in 30 days`}
      </AnchorLink>
    </div>
  );
}
