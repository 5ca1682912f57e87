type UndefinableKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T]

type Defined<T> = Omit<T, UndefinableKeys<T>> & { [K in UndefinableKeys<T>]?: Exclude<T[K], undefined> }

export function omitUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
