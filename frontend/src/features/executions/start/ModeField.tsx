import { Radio, SimpleGrid } from '@mantine/core';
import type { RunMode } from '../../../api/types';
import { MODE_MEANINGS, MODE_NAMES, MODES } from '../run/modes';
import { type Allowance, obstacleToMode } from './start-modes';

interface Props {
  value: RunMode;
  allowance: Allowance;
  onChange: (mode: RunMode) => void;
}

/** The four modes with a sentence each; those that may not be used here say why. */
export function ModeField({ value, allowance, onChange }: Props) {
  return (
    <Radio.Group label="Mode" value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing={8} mt={6}>
        {MODES.map((mode) => {
          const obstacle = obstacleToMode(mode, allowance);
          return (
            <Radio
              key={mode}
              value={mode}
              label={MODE_NAMES[mode]}
              description={obstacle ?? MODE_MEANINGS[mode]}
              disabled={obstacle !== null}
            />
          );
        })}
      </SimpleGrid>
    </Radio.Group>
  );
}
