import type { Draft } from '../../../api/body.ts'
import { omitUndefined } from '../../../api/defined.ts'
import { createFlagConflict } from '../../../api/flag-conflict.ts'
import type { RequestBody } from '../../../api/operations.ts'
import { counted, plural } from '../../../api/plural.ts'
import { entity, page } from '../../../api/resources.ts'
import { UsageError } from '../../../errors.ts'
import { isObject } from '../../input/assignments.ts'
import {
  collectParsed,
  createIntegerParser,
  createWebUrlParser,
  parseSize,
  readData,
} from '../../input/input.ts'
import { findNearUrl } from '../../input/near-url.ts'
import { type BodyFlags, createBodyChange, urlFor, warnAboutUnknownFields } from '../../kernel/body.ts'
import { addBodyFlags, addRoomSelectionFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument } from '../../names/arguments.ts'
import type { Item } from '../../output/views/views.ts'
import type { RoomsFlags } from '../../targets/write-to-rooms.ts'
import { runOne } from '../shared/run-one.ts'

const { descriptions } = page

type PageField = Readonly<Record<string, Draft<RequestBody<'createPages'>[number]>>>

interface Flags extends BodyFlags, RoomsFlags {
  image?: string[]
  fixed?: boolean
  size?: { width: number; height: number }
  index?: number
}

export function definePageCreate(pages: MeetroomCommand): void {
  const create = pages
    .command('create')
    .summary('Create pages in a room, or in all matching rooms')
    .description(
      'Create pages in a room: one per image, or the pages in --data. With --where, asks for confirmation, creates the pages in each matching room, and prints one row per room.',
    )
    .addArgument(new RoomArgument('[room]'))
    .option(
      '--image <url>',
      `${entity.src.description}; repeatable: one page per image`,
      collectParsed(parseImage),
    )
    .option('--fixed', entity.fixed.description)
    .option('--size <WxH>', `${descriptions.size}, as in 1280x720`, parseSize)
    .option(
      '--index <n>',
      `${descriptions.index}; further pages follow`,
      createIntegerParser('--index', 0, undefined, { hint: 'to append pages, omit --index' }),
    )
  create.surplusHint = (surplus) => (surplus.some(isFile) ? fileHint : undefined)
  addRoomSelectionFlags(addBodyFlags(create)).act(
    'writes',
    async (context, room_id: string | undefined, flags: Flags) => {
      if (flags.where && room_id !== undefined) throw createFlagConflict('a room', '--where')
      if (!flags.where && room_id === undefined) return create.missingArgument('room')
      const data = flags.data === undefined ? [] : [await readData(flags.data, context.host)].flat(1)
      const fromFlags = createPagesFromFlags(flags)
      if (data.length + fromFlags.length === 0) throw new UsageError('no pages given: pass --image or --data')
      if (!data.every(isObject)) throw new UsageError('--data must be a JSON array of pages, or one page')
      const pages = [
        ...data.map(createBodyChange(flags, {})),
        ...fromFlags.map((given) => createBodyChange(flags, given)({})),
      ]
      await warnAboutUnknownFields(context, 'createPages', flags)
      const body = pages.map((page) => withEncodedUrls(page, flags))
      if (room_id !== undefined) return runOne(context, 'createPages', { params: { room_id }, body })
      const { writeToRooms } = await import('../../targets/write-to-rooms.ts')
      await writeToRooms(context, createRoomWrite(body, flags.data !== '-'), flags)
    },
  )
  create.addExamples(
    "meetroom pages create 66f1a2b3c4d5e6f708192a3b --image 'https://example.com/slide 1.png' --size 1280x720",
    'meetroom pages create 66f1a2b3c4d5e6f708192a3b --data @pages.json',
    "meetroom pages create --where 'name~^Maths' --image https://example.com/plan.png",
  )
}

function createRoomWrite(body: RequestBody<'createPages'>, isRepeatable: boolean) {
  const count = counted(body.length, 'page')
  return {
    name: 'createPages',
    rows: 'roomsWithPages',
    isRepeatable,
    input: (room_id: string) => ({ params: { room_id }, body }),
    readFields: ({ pages }: Item) => ({
      page_ids: Array.isArray(pages) ? pages.map((page) => page?.id) : [],
    }),
    activity: 'creating pages in rooms',
    verb: (rooms: number) => `create ${count} ${plural(rooms, 'in', 'in each of')}`,
    pastTense: (rooms: number) => `created ${count} ${plural(rooms, 'in', 'in each of')}`,
  } as const
}

const fileHint =
  'the API accepts only URLs of images; upload the image to a web server, and pass its URL, as in --image https://example.com/slide1.png'

function isFile(text: string): boolean {
  return (
    !/^(?!file:)[a-z][a-z\d+.-]+:\/\//i.test(text) &&
    /^file:|\.(png|jpe?g|gif|svg|webp|bmp|tiff?|pdf|pptx?|odp)$/i.test(text)
  )
}

function parseImage(text: string): string {
  if (isFile(text) && findNearUrl(text) === undefined)
    throw new UsageError(`--image must be a URL, not the file “${text}”`, { hint: fileHint })
  const urls = text.split(/,(?=https?:\/\/)/)
  if (urls.length > 1)
    throw new UsageError(`--image takes one URL, not ${urls.length}: “${text}”`, {
      hint: 'repeat --image for each URL',
    })
  return createWebUrlParser('--image')(text)
}

/** Returns one page per image. Without images and `--data`, `--size` or `--index` creates one empty page. */
function createPagesFromFlags({ image = [], fixed, size, index, data }: Flags): PageField[] {
  const entities = image.map((src) => [{ type: 'Image', src, ...omitUndefined({ fixed }) }])
  const blank = image.length === 0 && data === undefined && (size !== undefined || index !== undefined)
  return (blank ? [undefined] : entities).map((entities, i) => ({
    '--image': { entities },
    '--size': { size },
    '--index': { index: index === undefined ? undefined : index + i },
  }))
}

/** Encodes the URLs of images (API specification, “What the service does”). */
function withEncodedUrls(page: object, flags: BodyFlags): object {
  if (!('entities' in page) || !Array.isArray(page.entities)) return page
  const entities = page.entities.map((entity) =>
    typeof entity?.src === 'string' ? { ...entity, src: urlFor('src', flags)(entity.src) } : entity,
  )
  return { ...page, entities }
}
