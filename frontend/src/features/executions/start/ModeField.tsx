import { Radio, SimpleGrid } from '@mantine/core';
import type { RunMode } from '../../../api/types';
import { RUN_MODES } from '../../../api/lists';
import { MODE_MEANINGS, MODE_NAMES } from '../../../ui/runs/modes';
import { type ModeLimits, modeObstacle } from './start-modes';

interface Props {
  value: RunMode;
  limits: ModeLimits;
  onChange: (mode: RunMode) => void;
}

export function ModeField({ value, limits, onChange }: Props) {
  return (
    <Radio.Group label="Mode" value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing={8} mt={6}>
        {RUN_MODES.map((mode) => {
          const obstacle = modeObstacle(mode, limits);
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
