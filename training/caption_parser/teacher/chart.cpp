// Best trees of tokenised sentences under a probabilistic context-free grammar (CKY).
//
//     chart GRAMMAR [COUNTS] < sentences > trees
//
// GRAMMAR is what DumpGrammar writes. A sentence is a line of words; a tree is a line in brackets,
// or empty where a word is not in the grammar file or no tree spans the sentence. Without COUNTS the
// search is exhaustive, and how often each state is in a best tree is written to GRAMMAR.counts. With
// that file as COUNTS, states far behind the best of their span are dropped, which halves the time.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

constexpr float kNone = -std::numeric_limits<float>::infinity();
constexpr float kGain = 1e-5f;  // a unary rule must gain this much, so that rounding makes no loops
constexpr float kBeam = 20;     // of 500 captions 498 have the tree of the exhaustive search
constexpr int kLongest = 80;

struct Unary { int parent, child; float score; };
struct Binary { int parent, right; float score; };
using Scores = std::vector<std::pair<int, float>>;

struct Grammar {
  std::vector<std::string> states;
  std::vector<std::vector<Unary>> unaries;           // by child
  std::vector<std::vector<Binary>> binaries;         // by left child
  std::unordered_map<std::string, Scores> words[2];  // at the start of a sentence, and inside it
  std::vector<float> common;                         // logarithm of a state's share of all best trees
  float beam = -kNone;
  int root = -1;

  explicit Grammar(const std::string& file) {
    std::ifstream in(file);
    size_t count = section(in);
    for (std::string line; states.size() < count && std::getline(in, line);) {
      if (line == "ROOT") root = static_cast<int>(states.size());
      states.push_back(line);
    }
    unaries.resize(count), binaries.resize(count), common.resize(count);
    for (size_t left = section(in); left--;) {
      Unary rule;
      in >> rule.parent >> rule.child >> rule.score;
      unaries[rule.child].push_back(rule);
    }
    for (size_t left = section(in); left--;) {
      Binary rule;
      int child;
      in >> rule.parent >> child >> rule.right >> rule.score;
      binaries[child].push_back(rule);
    }
    size_t lines = 2 * section(in);
    std::string line, word, score;
    for (size_t at = 0; at < lines && std::getline(in, line); at++) {
      std::istringstream parts(line);
      parts >> word;
      Scores& found = words[at % 2][word];
      for (int state; parts >> state >> score;) found.emplace_back(state, std::stof(score));
    }
  }

  void prune(const std::string& file) {
    std::ifstream in(file);
    std::vector<double> counts(states.size(), 0.1);
    int state;
    double all = 0;
    for (double times; in >> state >> times; all += times) counts[state] += times;
    for (size_t at = 0; at < counts.size(); at++) common[at] = std::log(counts[at] / all);
    beam = kBeam;
  }

 private:
  static size_t section(std::istream& in) {
    std::string kind, rest;
    size_t count = 0;
    in >> kind >> count;
    std::getline(in, rest);
    return count;
  }
};

// Where a state's best score in a span comes from: a word, a unary rule or a split with two states.
struct Back { int first = -1, second = -1; int16_t split = -1; };

struct Cell {
  std::vector<float> score;
  std::vector<Back> back;
  std::vector<int> active, left;
};

class Chart {
 public:
  std::vector<long> used;  // how often each state was in a best tree

  explicit Chart(const Grammar& grammar)
      : used(grammar.states.size()), grammar_(grammar), cells_((kLongest + 2) * (kLongest + 2)) {}

  std::string parse(const std::vector<std::string>& words) {
    int length = static_cast<int>(words.size());
    for (int place = 0; place < length; place++) {
      auto& known = grammar_.words[place > 0];
      auto found = known.find(words[place]);
      if (found == known.end()) return "";
      Cell& cell = fresh(place, place + 1);
      for (auto [state, score] : found->second) offer(cell, state, score, Back());
      close(cell);
    }
    for (int width = 2; width <= length; width++)
      for (int start = 0; start + width <= length; start++) fill(start, start + width);
    if (at(0, length).score[grammar_.root] == kNone) return "";
    std::ostringstream out;
    write(out, 0, length, grammar_.root, words);
    return out.str().substr(1);
  }

 private:
  Cell& at(int start, int end) { return cells_[start * (kLongest + 2) + end]; }

  Cell& fresh(int start, int end) {
    Cell& cell = at(start, end);
    if (cell.score.empty()) {
      cell.score.assign(grammar_.states.size(), kNone);
      cell.back.resize(grammar_.states.size());
    }
    for (int state : cell.active) cell.score[state] = kNone;
    cell.active.clear(), cell.left.clear();
    return cell;
  }

  static void offer(Cell& cell, int state, float score, const Back& back) {
    float& best = cell.score[state];
    if (score <= best) return;
    if (best == kNone) cell.active.push_back(state);
    best = score;
    cell.back[state] = back;
  }

  // Chains of unary rules; then states that are too far behind leave.
  void close(Cell& cell) {
    std::vector<int> queue = cell.active;
    for (size_t next = 0; next < queue.size(); next++) {
      int state = queue[next];
      float score = cell.score[state];
      for (const Unary& rule : grammar_.unaries[state]) {
        if (score + rule.score <= cell.score[rule.parent] + kGain) continue;
        offer(cell, rule.parent, score + rule.score, Back{state, -1, -1});
        queue.push_back(rule.parent);
      }
    }
    float best = kNone;
    for (int state : cell.active) best = std::max(best, cell.score[state] + grammar_.common[state]);
    size_t kept = 0;
    for (int state : cell.active) {
      if (cell.score[state] + grammar_.common[state] < best - grammar_.beam) {
        cell.score[state] = kNone;
        continue;
      }
      cell.active[kept++] = state;
      if (!grammar_.binaries[state].empty()) cell.left.push_back(state);
    }
    cell.active.resize(kept);
  }

  void fill(int start, int end) {
    Cell& cell = fresh(start, end);
    for (int split = start + 1; split < end; split++) {
      const Cell& left = at(start, split);
      const float* right = at(split, end).score.data();
      for (int state : left.left) {
        float own = left.score[state];
        for (const Binary& rule : grammar_.binaries[state]) {
          float total = own + rule.score + right[rule.right];
          if (total > cell.score[rule.parent])
            offer(cell, rule.parent, total, Back{state, rule.right, static_cast<int16_t>(split)});
        }
      }
    }
    close(cell);
  }

  // Intermediate states of the binarised grammar begin with "@": their children belong to the node above.
  void write(std::ostream& out, int start, int end, int state, const std::vector<std::string>& words) {
    const std::string& name = grammar_.states[state];
    if (name == ".$$.") return;
    used[state]++;
    bool shown = name[0] != '@';
    if (shown) out << " (" << name.substr(0, name.find_first_of("^-", 1));
    const Back& back = at(start, end).back[state];
    if (back.split >= 0) {
      write(out, start, back.split, back.first, words);
      write(out, back.split, end, back.second, words);
    } else if (back.first >= 0) {
      write(out, start, end, back.first, words);
    } else {
      out << " " << words[start];
    }
    if (shown) out << ")";
  }

  const Grammar& grammar_;
  std::vector<Cell> cells_;
};

int main(int count, char** given) {
  if (count < 2) return std::cerr << "chart GRAMMAR [COUNTS] < sentences > trees\n", 2;
  std::ios::sync_with_stdio(false);
  Grammar grammar(given[1]);
  if (count > 2) grammar.prune(given[2]);
  Chart chart(grammar);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream parts(line);
    std::vector<std::string> words;
    for (std::string word; parts >> word;) words.push_back(word);
    words.push_back(".$.");
    std::cout << (words.size() > kLongest ? "" : chart.parse(words)) << std::endl;
  }
  if (count > 2) return 0;
  std::ofstream out(std::string(given[1]) + ".counts");
  for (size_t state = 0; state < chart.used.size(); state++)
    if (chart.used[state]) out << state << " " << chart.used[state] << "\n";
}
