import { Group, Paper, Table, Text } from '@mantine/core';
import type { EnvironmentDetail } from '../../../api/types';
import { limit } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import classes from '../overview.module.css';
import { Section } from '../Section';

type Result = EnvironmentDetail['results'][number];

/** Latest run of each plan, with revision and age. */
export function LatestResults({ overview: { id, results, moreResults } }: { overview: EnvironmentDetail }) {
  return (
    <Section
      title="Latest result by plan"
      end={
        <AnchorLink to="/executions" search={{ environment: id }} size="sm">
          All runs
        </AnchorLink>
      }
    >
      {results.length === 0 ? (
        <Text c="dimmed">No runs yet. The latest result of each plan appears here.</Text>
      ) : (
        <Paper className={classes.matrix} tabIndex={0} role="region" aria-label="Latest results">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Plan</Table.Th>
                <Table.Th scope="col">Result</Table.Th>
                <Table.Th scope="col" visibleFrom="xs">
                  Revision
                </Table.Th>
                <Table.Th scope="col" visibleFrom="sm">
                  Duration
                </Table.Th>
                <Table.Th scope="col" visibleFrom="xs">
                  Age
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {results.map((result) => (
                <Row key={result.planId} result={result} />
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
      {moreResults && (
        <Text mt="sm" c="dimmed">
          Only the 50 plans that ran last are listed.
        </Text>
      )}
    </Section>
  );
}

function Row({ result }: { result: Result }) {
  const { executionId, planId, planName, planRevision, status, startedAt, finishedAt } = result;
  const age = <RelativeTime at={finishedAt ?? startedAt} />;
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <AnchorLink to="/plans/$id" params={{ id: planId }} className="rw-wrap-anywhere">
          {planName}
        </AnchorLink>
      </Table.Th>
      <Table.Td className={classes.plainCell}>
        <AnchorLink to="/executions/$id" params={{ id: executionId }}>
          <StatusBadge status={status} />
        </AnchorLink>
        <Group gap={4} hiddenFrom="xs">
          <Text size="xs" c="dimmed" component="div">
            rev {planRevision} · {age}
          </Text>
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="xs" className={classes.plainCell}>
        rev {planRevision}
      </Table.Td>
      <Table.Td visibleFrom="sm" className={`${classes.plainCell} rw-nowrap`}>
        {finishedAt === null ? '–' : limit(Date.parse(finishedAt) - Date.parse(startedAt))}
      </Table.Td>
      <Table.Td visibleFrom="xs" className={classes.plainCell}>
        {age}
      </Table.Td>
    </Table.Tr>
  );
}
