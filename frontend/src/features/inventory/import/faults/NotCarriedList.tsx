import { Accordion, Text } from '@mantine/core';
import type { ServerImport } from '../../../../api/types';
import { plural } from '../../../../ui/format/format';
import classes from './faults.module.css';
import { placeOf } from './text-faults';

export function NotCarriedList({ found: { notCarried, moreNotCarried } }: { found: ServerImport }) {
  const count = notCarried.length + moreNotCarried;
  if (count === 0) return null;
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="left-out">
        <Accordion.Control>
          <Text fw={550}>{plural(count, 'thing')} of the text cannot be imported</Text>
        </Accordion.Control>
        <Accordion.Panel>
          <ul className={classes.list} aria-label="Not imported">
            {notCarried.map((one, index) => {
              const place = [placeOf(one), one.places > 1 ? plural(one.places, 'place') : '']
                .filter(Boolean)
                .join(', ');
              return (
                <li key={index}>
                  <span className="rw-mono">{one.what}</span>
                  {place !== '' && (
                    <Text span size="xs" c="dimmed">
                      {` (${place})`}
                    </Text>
                  )}
                  : {one.reason.text}
                </li>
              );
            })}
          </ul>
          {moreNotCarried > 0 && <Text mt={6}>And {moreNotCarried.toLocaleString('en')} more.</Text>}
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
