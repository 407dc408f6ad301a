import edu.stanford.nlp.parser.lexparser.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

/** Writes the grammar of a parser, and what its lexicon says of some words, as plain lines. */
public class DumpGrammar {
  public static void main(String[] given) throws IOException {
    LexicalizedParser parser = LexicalizedParser.loadModel(given[0]);
    List<String> words = new ArrayList<>(Files.readAllLines(Paths.get(given[1]), StandardCharsets.UTF_8));
    words.add(0, Lexicon.BOUNDARY);
    try (PrintWriter out = new PrintWriter(given[2], "UTF-8")) {
      out.println("states " + parser.stateIndex.size());
      for (int state = 0; state < parser.stateIndex.size(); state++) {
        out.println(parser.stateIndex.get(state));
      }
      List<UnaryRule> unaries = parser.ug.rules();
      out.println("unaries " + unaries.size());
      for (UnaryRule rule : unaries) {
        out.println(rule.parent + " " + rule.child + " " + rule.score);
      }
      List<BinaryRule> binaries = parser.bg.rules();
      out.println("binaries " + binaries.size());
      for (BinaryRule rule : binaries) {
        out.println(rule.parent + " " + rule.leftChild + " " + rule.rightChild + " " + rule.score);
      }
      out.println("words " + words.size());
      for (String word : words) {
        for (int place = 0; place < 2; place++) {
          out.println(line(parser, word, place));
        }
      }
    }
  }

  /** The word, and the states of its tags with their scores, at the start or inside a sentence. */
  static String line(LexicalizedParser parser, String word, int place) {
    int number = parser.wordIndex.indexOf(word, true);
    StringBuilder found = new StringBuilder(word);
    Iterator<IntTaggedWord> tags = parser.lex.ruleIteratorByWord(number, place, null);
    while (tags.hasNext()) {
      IntTaggedWord tagged = tags.next();
      float score = parser.lex.score(tagged, place, word, null);
      if (score > Float.NEGATIVE_INFINITY) {
        int state = parser.stateIndex.indexOf(parser.tagIndex.get(tagged.tag));
        found.append(' ').append(state).append(' ').append(score);
      }
    }
    return found.toString();
  }
}
