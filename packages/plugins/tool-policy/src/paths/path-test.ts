/** Tests on where a path leads. */
import { ownFields } from '@treblehook/types';
import { not, someOf, type Truth } from '../truth.js';
import type { PolicyWorld } from '../world.js';
import { compileGlob, splitGlob } from './file-glob.js';
import { leadsTo, type LeadsTo } from './leads-to.js';

/** Exactly one of these. A path is a place: links are followed, `..` and `~` undone, letter case is the platform's. */
export type PathTest =
  /** In one of these folders, or one of them itself. Relative ones are meant from the host's folder. */
  | { readonly within: string | readonly string[] }
  // File globs over the whole real path: `*` stops at `/`, `**` does not, dot files count. Relative ones are meant from
  // the host's folder; `/**/*.env` is each one anywhere. What stands in front of the first sign is followed like a path.
  | { readonly path: string | readonly string[] }
  | { readonly not: PathTest };

/** A test of the places that a path may lead to. */
export type PlaceTest = (places: LeadsTo) => Truth;

/** Compiles a test. Its own folders are followed now, or at each call as long as they do not exist. */
export function compilePathTest(given: PathTest, world: PolicyWorld): PlaceTest {
  const own: {
    readonly within?: string | readonly string[];
    readonly path?: string | readonly string[];
    readonly not?: PathTest;
  } = ownFields(given);
  if (own.not !== undefined) {
    const inner = compilePathTest(own.not, world);
    return (places) => not(inner(places));
  }
  const holds = own.within === undefined ? byGlob(textsOf(own.path!), world) : byFolder(textsOf(own.within), world);
  return (places) => (typeof places === 'string' ? places : agreed(places, holds));
}

/** What is so of one reading of a path and not of another cannot be told. */
function agreed(places: readonly string[], holds: (place: string) => Truth): Truth {
  const first = holds(places[0]!);
  for (const place of places.slice(1)) {
    if (holds(place) !== first) return `the path may lead to '${places[0]!}' or to '${place}'`;
  }
  return first;
}

function byFolder(folders: readonly string[], world: PolicyWorld): (place: string) => Truth {
  const { sep } = world.path;
  const known = folders.map((folder) => followed(folder, world));
  return (place) =>
    someOf(known, (folder) => {
      const roots = folder();
      if (typeof roots === 'string') return roots;
      const file = folded(place, world);
      return roots.some((root) => {
        const around = folded(root, world);
        return file === around || file.startsWith(around.endsWith(sep) ? around : around + sep);
      });
    });
}

/**
 * The places behind a path of a rule: looked up once where it leads straight there, anew when what was missing of it comes to
 * be, and each time where a link stands in between, which may lead elsewhere tomorrow.
 */
function followed(path: string, world: PolicyWorld): () => LeadsTo {
  const look = (): LeadsTo => leadsTo(path, [world.cwd], world);
  const straight = world.path.resolve(world.cwd, path);
  let places = look();
  let missing = missingOf(places, world);
  return () => {
    if (places.length !== 1 || places[0] !== straight) return look();
    if (missing.some((place) => isThere(place, world))) {
      places = look();
      missing = missingOf(places, world);
    }
    return places;
  };
}

/** Of each place the first name that nothing stands at. */
function missingOf(places: LeadsTo, world: PolicyWorld): readonly string[] {
  if (typeof places === 'string') return [];
  return places.flatMap((place) => {
    let first: string | undefined;
    for (let at = place; !isThere(at, world) && at !== world.path.dirname(at); at = world.path.dirname(at)) first = at;
    return first ?? [];
  });
}

function isThere(place: string, world: PolicyWorld): boolean {
  try {
    return world.isThere(place);
  } catch {
    return false; // it cannot be looked at, and so not be followed either
  }
}

/** The steps of a glob in front of its first sign are a path, which is followed like any other. */
function byGlob(globs: readonly string[], world: PolicyWorld): (place: string) => Truth {
  const posix = (text: string): string => (world.path.sep === '\\' ? text.replaceAll('\\', '/') : text);
  const known = globs.map((glob) => {
    const { head, rest } = splitGlob(glob);
    const heads = followed(head, world);
    const matches = compileGlob(folded(rest, world));
    return (file: string): Truth => {
      const roots = heads();
      if (typeof roots === 'string') return roots;
      return roots.some((root) => {
        const around = posix(folded(root, world)).replace(/\/$/, '');
        return (file === around || file.startsWith(`${around}/`)) && matches(file.slice(around.length));
      });
    };
  });
  return (place) => {
    const file = posix(folded(place, world));
    return someOf(known, (holds) => holds(file));
  };
}

const folded = (place: string, { caseless }: PolicyWorld): string =>
  caseless ? place.normalize('NFC').toLowerCase() : place;

export const textsOf = (given: string | readonly string[]): readonly string[] =>
  typeof given === 'string' ? [given] : given;
