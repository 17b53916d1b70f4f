import { rm } from 'node:fs/promises';
import path from 'node:path';
import { missingProgram, program } from '../programs.mjs';

export const missing = () => missingProgram('buildah');

/** Builds the container image as an OCI archive. `BASE_IMAGE` replaces its base, a Debian 12. */
export async function build({ version, architecture, folder, tree }) {
  const name = `runward-${version}-linux-${architecture}.oci.tar`;
  const image = `localhost/runward:${version}`;
  const base = process.env.BASE_IMAGE ? ['--build-arg', `BASE_IMAGE=${process.env.BASE_IMAGE}`] : [];
  const file = path.join(tree, 'deploy/container/Dockerfile');
  // The docker format keeps the health check, which OCI images do not have.
  const options = ['build', '--quiet', '--format', 'docker', '--arch', architecture, ...base, '--file', file];
  await program('buildah', [...options, '--tag', image, tree]);
  await rm(path.join(folder, name), { force: true });
  await program('buildah', ['push', '--quiet', image, `oci-archive:${path.join(folder, name)}:${image}`]);
  return name;
}
