// Dictionaries, and objects as data: what a pickle would import and call is written down, never done.
#include "io/pickle_reader.h"

namespace neuopt {

bool PickleReader::build_dictionary(unsigned char code) {
  std::size_t added = 2;
  switch (code) {
    case '}':
      push_container(PickleKind::dictionary, 0);
      return true;
    case 'd':
      added = pop_mark();
      push_container(PickleKind::dictionary, added);
      break;
    case 's':
      append(added, PickleKind::dictionary);
      break;
    case 'u':
      added = pop_mark();
      append(added, PickleKind::dictionary);
      break;
    default:
      return false;
  }
  if (added % 2 != 0) fail("a key of a dictionary has no value");
  return true;
}

bool PickleReader::describe_object(unsigned char code) {
  switch (code) {
    case 'c':
      push_text(take_line());
      push_text(take_line());
      describe_global();
      return true;
    case 0x93:
      describe_global();
      return true;
    case 'R':
      describe_call();
      return true;
    case 'Q':
      push_container(PickleKind::persistent, 1);
      return true;
    case 'b':  // gives an object its attributes: the object stays as it is
      drop(1);
      top();
      return true;
    default:
      return false;
  }
}

/// A module and a name become what they name.
void PickleReader::describe_global() {
  push_container(PickleKind::global, 2);
  for (const PickleValue& part : document_.containers.back())
    if (!part.is(PickleKind::text)) fail("expected the name of a module and of something in it");
}

/// An ordered dictionary begins empty and is filled like any other; all other calls are only described.
void PickleReader::describe_call() {
  push_container(PickleKind::call, 2);
  const std::vector<PickleValue>& parts = document_.containers.back();
  if (!parts[0].is(PickleKind::global)) {
    top() = PickleValue();
    top().kind = PickleKind::opaque;
    return;
  }
  const auto global = document_.items(parts[0]);
  const bool ordered = document_.text(global[0]) == "collections" && document_.text(global[1]) == "OrderedDict";
  if (!ordered || !parts[1].is(PickleKind::tuple) || !document_.items(parts[1]).empty()) return;
  top().kind = PickleKind::dictionary;
  document_.containers.back().clear();
}

/// Objects of other kinds and sets: nobody reads them, but they may stand beside what is read.
bool PickleReader::describe_stranger(unsigned char code) {
  switch (code) {
    case 0x81:  // an object from class and arguments
      drop(2);
      break;
    case 0x92:  // the same with named arguments
      drop(3);
      break;
    case 'i':  // an object from the names of its class and the arguments above the mark
      take_line();
      take_line();
      drop(pop_mark());
      break;
    case 'o':   // an object from class and arguments above the mark
    case 0x91:  // a frozen set of what is above the mark
      drop(pop_mark());
      break;
    case 0x90:  // more members for a set
      drop(pop_mark());
      top();
      return true;
    case 0x82:  // an object by its registered number
      take<std::uint8_t>();
      break;
    case 0x83:
      take<std::uint16_t>();
      break;
    case 0x84:
      take<std::uint32_t>();
      break;
    case 'P':  // something outside, by a name in text
      take_line();
      break;
    case 0x8f:  // an empty set
      break;
    default:
      return false;
  }
  push_kind(PickleKind::opaque);
  return true;
}

}  // namespace neuopt
