import { Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Review } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { Authors } from './Authors';
import { Differences } from './Differences';
import { Hosts } from './Hosts';
import { stepFacts } from './step-facts';
import { StepText } from './StepText';
import { wholeName } from '../run/step-name';
import { VisibleText } from '../../../ui/diff/VisibleText';

export function Evidence({ review }: { review: Review }) {
  const { hosts, hostCount, steps, variables, secretNames, authors } = review;
  const values = Object.entries(variables);
  return (
    <Stack gap="lg">
      <Part title="Changes">
        <ComparisonText review={review} />
      </Part>
      {authors.length > 0 && (
        <Part title="Authors">
          <Text c="dimmed" mb={4}>
            Members who changed content of this run since it last ran approved here. They cannot approve it unless the
            environment allows self-approval.
          </Text>
          <Authors authors={authors} />
        </Part>
      )}
      <Part title={`Steps (${steps.length})`}>
        <Stack gap="md" component="ol" className="rw-plain-list">
          {steps.map((step, index) => (
            <li key={step.key}>
              <Text mb={4} component="div">
                <Text span fw={550}>
                  {index + 1}. <VisibleText text={wholeName(step)} />
                </Text>{' '}
                <Text span c="dimmed" size="xs">
                  {step.leftOut ? (
                    'skipped: this rerun starts after it'
                  ) : (
                    <VisibleText text={stepFacts(step).join(' · ')} />
                  )}
                </Text>
              </Text>
              {!step.leftOut && <StepText step={step} />}
            </li>
          ))}
        </Stack>
      </Part>
      <Part title={`Hosts (${hostCount})`}>
        <Hosts review={review} />
        {hostCount > hosts.length && (
          <Text c="dimmed" mt={4}>
            And {plural(hostCount - hosts.length, 'more host')} not listed here.
          </Text>
        )}
      </Part>
      {values.length + secretNames.length > 0 && (
        <Part title="Variables">
          {hosts.some((host) => Object.keys(host.variables).length + host.secretNames.length > 0) && (
            <Text c="dimmed" mb={4}>
              A value of a server overrides these values on its host.
            </Text>
          )}
          <Table verticalSpacing={4} aria-label="Variables">
            <Table.Tbody>
              {values.map(([name, value]) => (
                <Row key={name} name={name}>
                  <VisibleText text={Array.isArray(value) ? value.join(', ') : String(value)} />
                </Row>
              ))}
              {secretNames
                .filter((name) => !(name in variables))
                .map((name) => (
                  <Row key={name} name={name}>
                    <Text span c="dimmed" inherit>
                      secret
                    </Text>
                  </Row>
                ))}
            </Table.Tbody>
          </Table>
        </Part>
      )}
    </Stack>
  );
}

function ComparisonText({ review: { comparedTo, differences, moreDifferences } }: { review: Review }) {
  if (comparedTo === null) return <Text>No earlier run of this plan succeeded here, so there is no comparison.</Text>;
  const last = (
    <AnchorLink to="/executions/$id" params={{ id: comparedTo.executionId }} underline="always">
      the last success
    </AnchorLink>
  );
  return (
    <Stack gap="xs">
      <Text component="div">
        {differences.length === 0 ? 'Exactly the same as ' : 'Compared with '}
        {last} (revision {comparedTo.planRevision}, <RelativeTime at={comparedTo.finishedAt} />)
        {differences.length === 0 ? '.' : ':'}
      </Text>
      <Differences items={differences} more={moreDifferences} />
    </Stack>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th className="rw-mono rw-wrap-anywhere" w="30%" scope="row">
        <VisibleText text={name} />
      </Table.Th>
      <Table.Td className="rw-mono rw-pre-wrap">{children}</Table.Td>
    </Table.Tr>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={3} size="h5" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}
