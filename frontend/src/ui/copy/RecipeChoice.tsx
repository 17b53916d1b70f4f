import { Code, Group, SegmentedControl, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { CopyButton } from './CopyButton';
import type { Recipe } from './start-recipes';

export function RecipeChoice({ recipes, label }: { recipes: readonly Recipe[]; label: string }) {
  const [chosenRecipe, setChosenRecipe] = useState<string>(recipes[0]?.key ?? '');
  const narrow = useMediaQuery('(max-width: 36em)');
  const recipe = recipes.find(({ key }) => key === chosenRecipe);
  if (!recipe) return null;
  return (
    <Stack gap={6}>
      <SegmentedControl
        aria-label={label}
        value={chosenRecipe}
        onChange={setChosenRecipe}
        orientation={narrow ? 'vertical' : 'horizontal'}
        data={recipes.map(({ key, label: text }) => ({ value: key, label: text }))}
      />
      <Code block tabIndex={0} aria-label={recipe.label}>
        {recipe.text}
      </Code>
      <Group>
        <CopyButton value={recipe.text} what={recipe.label}>{`Copy as ${recipe.label}`}</CopyButton>
      </Group>
    </Stack>
  );
}
