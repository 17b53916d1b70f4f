import { Badge, Box, Button, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Review } from '../../../api/types';
import { type HostValue, hostValues } from './host-values';
import classes from './review.module.css';
import { VisibleText } from '../../../ui/diff/VisibleText';

const SHOWN = 6;

export function Hosts({ review: { hosts, differences } }: { review: Review }) {
  const haveOwnValues = hosts.some((host) => host.secretNames.length > 0 || hostValues(host, differences).length > 0);
  return (
    <Box className="rw-scroll" mah={320} tabIndex={0} role="group" aria-label="Hosts of the run">
      <Table verticalSpacing={4} aria-label="Hosts">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Host</Table.Th>
            <Table.Th>Address</Table.Th>
            <Table.Th>Host key</Table.Th>
            {haveOwnValues && <Table.Th>Server values</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {hosts.map((host) => (
            <Table.Tr key={host.serverId}>
              <Table.Td>
                <VisibleText text={host.name} />
              </Table.Td>
              <Table.Td className="rw-mono rw-wrap-anywhere">
                <VisibleText text={host.address} />
              </Table.Td>
              <Table.Td className="rw-mono rw-wrap-anywhere">
                {host.hostKeyFingerprint ?? 'Not accepted: the run would fail on this host'}
              </Table.Td>
              {haveOwnValues && (
                <Table.Td>
                  <Values host={host.name} values={hostValues(host, differences)} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function Values({ host, values }: { host: string; values: readonly HostValue[] }) {
  const [all, setAll] = useState(false);
  if (values.length === 0) return <Text c="dimmed">None</Text>;
  const visible = all ? values : values.slice(0, SHOWN);
  return (
    <>
      <ul className={classes.values} aria-label={`Values of ${host}`}>
        {visible.map((value) => (
          <li key={value.name}>
            <Value value={value} />
          </li>
        ))}
      </ul>
      {values.length > visible.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
          Show all {values.length}
        </Button>
      )}
    </>
  );
}

function Value({ value: { name, value, kind, change } }: { value: HostValue }) {
  return (
    <>
      <span className="rw-mono">
        <VisibleText text={name} />
        {kind === 'plain' && ' = '}
        {kind === 'plain' && <VisibleText text={value ?? ''} />}
      </span>
      {kind === 'secret' && (
        <Text span c="dimmed" inherit>
          {' '}
          secret
        </Text>
      )}
      {change && (
        <>
          {' '}
          <Badge variant="light" color={kind === 'gone' ? 'red' : change === 'new' ? 'green' : 'yellow'} tt="none">
            {kind === 'gone' ? 'gone' : change}
          </Badge>
        </>
      )}
    </>
  );
}
